#pragma once

#include <thalweg/observe/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "spb/detail/failure.hpp"
#include "spb/detail/recorder.hpp"

namespace spb::detail {

/// Notes what time an operator has taken for so many elements.
template <class Item>
void worked_on(std::size_t operation, Item& item, std::int64_t time_ns, std::uint64_t elements) {
  mine().worked(operation, time_ns, elements);
  if constexpr (requires { item.latency_op; }) item.latency_op.push_back(static_cast<double>(time_ns) * 1e-3);
}

/// Applies an operator to an item: `f(item)`, timed if latencies are wanted. `operation`: its place among the
/// application's operators.
template <class Item, class F> void operate(std::size_t operation, Item& item, F&& f) noexcept {
  guarded(false, [&] {
    if (!timing()) {
      std::forward<F>(f)(item);
      return true;
    }
    const auto elements = item.size();  // it may filter
    const auto begin = thalweg::observe::now_ns();
    std::forward<F>(f)(item);
    worked_on(operation, item, thalweg::observe::now_ns() - begin, elements);
    return true;
  });
}

/// Notes the latency of an item that has come to the end of its stream, if latencies are wanted.
template <class Item> void note_arrival(const Item& item, std::size_t elements) {
  if (!timing() || item.timestamp == 0) return;
  const auto now = thalweg::observe::now_ns();
  mine().arrived({now, now - item.timestamp, elements, source_of(item)});
}

/// Applies a sink, which several threads may call: one after the other.
template <class Item, class Lock, class F>
void deliver(std::size_t operation, Item& item, Lock& lock, F&& f) noexcept {
  const auto elements = item.size();
  operate(operation, item, [&](Item& all) {
    const std::lock_guard alone(lock);
    std::forward<F>(f)(all);
  });
  if (failed()) return;
  mine().gave(elements, source_of(item));
  note_arrival(item, elements);
}

}  // namespace spb::detail
