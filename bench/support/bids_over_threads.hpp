#pragma once

#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include "bench/support/chunk.hpp"
#include "spb/nexmark.hpp"

/// A query of Nexmark that gives bids, in threads: one gives events, others make them and apply the query,
/// and this one writes what is left.
template <class Query> void bids_over_threads() {
  using events = chunk<spb::Item>;
  const auto n = static_cast<std::size_t>(spb::nthreads);
  SharedQueue<events> to_do(n), made(n, n);
  std::vector<std::jthread> threads;
  threads.emplace_back([&] {
    while (auto some = events::next<spb::Source>()) to_do.enqueue(std::move(*some));
    to_do.close();
  });
  for (std::size_t i = 0; i < n; ++i) {
    threads.emplace_back([&] {
      for (events some; to_do.dequeue(some);) {
        some.apply<spb::Generate>();
        some.apply<Query>();
        made.enqueue(std::move(some));
      }
      made.close();
    });
  }
  for (events some; made.dequeue(some);) some.apply_to_rest<spb::Sink>();
}
