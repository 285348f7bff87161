#pragma once

#include <thalweg/model/component.hpp>
#include <thalweg/model/errors.hpp>

#include <cstddef>
#include <stop_token>
#include <utility>

namespace thalweg {

/// Where an operator with 0..n outputs sends them: given to `flat_map` operators, emitting sources and end
/// hooks. Valid during the call only; not to be shared between threads.
///
/// Order: items leave in the order they are sent. Sending may block while the pipes downstream are full, and
/// throws `tw::cancelled` when the run is cancelled (in a source also when it is stopped): let it pass.
///
/// ```cpp
/// std::vector<int> seen;
/// tw::run(tw::source([](tw::emitter<int>& out) { for (int i = 0; i < 3; ++i) out.send(i); }) |
///         tw::flat_map([](int x, tw::emitter<int>& out) { out(x); out(-x); }) | tw::sink(seen));
/// assert((seen == std::vector{0, 0, 1, -1, 2, -2}));
/// ```
template <class T> class emitter {
 public:
  using full_handler = void (*)(void* self, pipe::chunk<T>& out);

  // Made by the engine.
  emitter(pipe::chunk<T>& out, std::size_t limit, const std::stop_token& stop, full_handler full,
          void* self) noexcept
      : out_(&out), limit_(limit), stop_(&stop), full_(full), self_(self) {}
  emitter(const emitter&) = delete;
  emitter& operator=(const emitter&) = delete;

  /// Sends one item.
  void send(T item) {
    out_->emplace(std::move(item));
    if (out_->size() >= limit_) full_(self_, *out_);
  }
  void operator()(T item) { send(std::move(item)); }

  /// True once the run shall end: a long-running operator can look at it between two items.
  [[nodiscard]] bool stop_requested() const noexcept { return stop_->stop_requested(); }
  [[nodiscard]] std::stop_token stop_token() const noexcept { return *stop_; }

  // For the engine: how many items may collect before they are handed over.
  void limit(std::size_t n) noexcept { limit_ = n; }

 private:
  pipe::chunk<T>* out_;
  std::size_t limit_;
  const std::stop_token* stop_;
  full_handler full_;
  void* self_;
};

}  // namespace thalweg
