#pragma once

#include <cstddef>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "bench/support/card_chunks.hpp"
#include "spb/shared_queue.hpp"

/// A queue for each part of the cards.
using card_queues = std::deque<SharedQueue<card_chunk>>;

/// Starts a thread that divides what `next(item)` gives among the queues.
template <class Next> void start_source(std::vector<std::jthread>& threads, card_queues& to, Next next) {
  threads.emplace_back([&to, next] {
    card_chunks chunks(to.size(), next);
    while (auto some = chunks()) to[some->part].enqueue(std::move(*some));
    for (auto& queue : to) queue.close();
  });
}

/// Starts a thread with a predictor for each of the queues.
inline void start_predictors(std::vector<std::jthread>& threads, card_queues& from,
                             SharedQueue<spb::Item>& alarms) {
  for (auto& mine : from) {
    threads.emplace_back([&mine, &alarms] {
      Markov_Model_Predictor predictor;
      for (card_chunk some; mine.dequeue(some);) {
        for (auto& item : some.items) {
          spb::Predictor::op(item, predictor);
          if (item) alarms.enqueue(item);
        }
      }
      alarms.close();
    });
  }
}
