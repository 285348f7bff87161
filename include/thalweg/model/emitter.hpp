/// `emitter`: what an operator sends through that sends any number of items.
#pragma once

#include <thalweg/model/component.hpp>
#include <thalweg/model/errors.hpp>

#include <cstddef>
#include <stop_token>
#include <utility>

namespace THALWEG_NAMESPACE {

/// Where an operator with 0..n outputs sends them: given to `flat_map` operators, emitting sources and end
/// hooks. Valid during the call only; not to be shared between threads.
///
/// Order: items leave in the order they are sent. Sending may block while the pipes downstream are full, and
/// throws `tw::cancelled` when the run is cancelled (in a source also when it is stopped): let it pass.
///
/// What makes very many items of one looks at `stopping()` between them, and returns early when it is true:
/// `execution::stop()` lets what is on its way come through, and so waits for the call to return.
///
/// ```cpp
/// std::vector<int> seen;
/// tw::run(tw::source([](tw::emitter<int>& out) { for (int i = 0; i < 3; ++i) out.send(i); }) |
///         tw::flat_map([](int x, tw::emitter<int>& out) { out(x); out(-x); }) | tw::sink(seen));
/// assert((seen == std::vector{0, 0, 1, -1, 2, -2}));
///
/// // An expansion without end, until somebody calls `stop()`.
/// auto for_ever = tw::flat_map([](int x, tw::emitter<int>& out) { while (!out.stopping()) out(x); });
/// std::atomic<bool> some{false};
/// auto e = tw::launch(tw::source(std::vector{1}) | for_ever | tw::sink([&](int) { some = true; }));
/// while (!some) std::this_thread::yield();
/// e.stop();
/// e.wait();
/// ```
template <class T> class emitter {
 public:
  using full_handler = void (*)(void* self, pipe::chunk<T>& out);

  // Made by the engine.
  emitter(pipe::chunk<T>& out, std::size_t limit, const std::stop_token& all_stops,
          const std::stop_token& stopping, full_handler full, void* self) noexcept
      : out_(&out), limit_(limit), stop_(&all_stops), stopping_(&stopping), full_(full), self_(self) {}
  emitter(const emitter&) = delete;
  emitter& operator=(const emitter&) = delete;

  /// Sends one item.
  void send(T item) {
    out_->emplace(std::move(item));
    if (out_->size() >= limit_) full_(self_, *out_);
  }
  void operator()(T item) { send(std::move(item)); }

  /// True once the call is to end: the run is being cancelled (in a source: or stopped), and sending throws.
  [[nodiscard]] bool stop_requested() const noexcept { return stop_->stop_requested(); }
  [[nodiscard]] std::stop_token stop_token() const noexcept { return *stop_; }

  /// True once `execution::stop()` or `cancel()` has been called. After `stop()` nothing forces the operator
  /// to end early: what it sends still comes through, and so does what it has sent. One that would go on for
  /// long returns. What an end hook sends belongs to the end of the stream, stopped or not: it does not look.
  [[nodiscard]] bool stopping() const noexcept { return stopping_->stop_requested(); }
  /// The same as a token, for what waits for the outside.
  [[nodiscard]] std::stop_token stopping_token() const noexcept { return *stopping_; }

  // For the engine: how many items may collect before they are handed over.
  void limit(std::size_t n) noexcept { limit_ = n; }

 private:
  pipe::chunk<T>* out_;
  std::size_t limit_;
  const std::stop_token* stop_;
  const std::stop_token* stopping_;
  full_handler full_;
  void* self_;
};

}  // namespace THALWEG_NAMESPACE
