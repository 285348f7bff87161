#pragma once

#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include "spb/shared_queue.hpp"

// Starts `count` threads that share a stage: each takes items from one queue, works on them, and gives them
// to the next.
template <class Item, class Work>
void start_stage(std::vector<std::jthread>& threads, std::size_t count, SharedQueue<Item>& from,
                 SharedQueue<Item>& to, Work work) {
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&from, &to, work] {
      for (Item item; from.dequeue(item);) {
        work(item);
        to.enqueue(std::move(item));
      }
      to.close();
    });
  }
}
