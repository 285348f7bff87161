/// `tap`: items from a stream that is running.
#pragma once

#include <thalweg/model/open_port.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>

namespace THALWEG_NAMESPACE {
namespace model {
template <class T> class branching;
}

/// A branch of a `tw::split` or `tw::tee` that is opened, and closed again, while the graph runs: by
/// `tee.tap(options)`. A thread outside the graph takes the items, or another run: a tap is a function that
/// gives the next item, so `tw::source(tee.tap())` is a source.
///
/// A copy is the same tap, which is closed when the last copy goes, or by `close()`: items that wait in it
/// are then given up, and count as dropped. `finish()` loses nothing: no more items come in, and those that
/// wait can still be taken out; then comes the end of the stream. It lives as long as the current run or, if
/// opened before a run, the next one; with the run the stream of the tap ends.
///
/// Order: that of the stream. Threads: one thread at a time takes items; `close` may be called by any. If the
/// tap is full, the stage waits and blocks its thread, unless `.when_full` says otherwise: a stage whose tap
/// may be full for long should have its own thread (`g.configure(tee, {.blocking = true})`). After
/// `execution::stop` it does not wait: items on their way go in beyond `.capacity`, and can still be taken
/// out when the run is over.
///
/// ```cpp
/// tw::graph g;
/// auto& tee = g.add<tw::tee<int>>();
/// g.connect(g.add(tw::source([n = 0]() mutable -> std::optional<int> { return n++; })).out, tee.in);
/// g.connect(tee.branch(), g.add(tw::sink([](int) {})).in);
/// auto e = tw::launch(g);
/// {
///   tw::tap<int> look = tee.tap({.capacity = 100, .when_full = tw::drop_old});
///   auto first = look.receive();
///   auto second = look.receive();
///   assert(*first < *second);
/// }  // closed: the stream goes on without it
/// e.stop();
/// e.wait();
/// ```
template <class T> class tap : public model::open_port<T, &model::gate<T>::abandon> {
  using base = model::open_port<T, &model::gate<T>::abandon>;

 public:
  /// The next item; waits for it. Nothing at the end of the stream, when the tap has been closed, or when
  /// `until` is requested.
  std::optional<T> receive(const std::stop_token& until = {}) {
    auto& g = this->held();
    for (;;) {
      if (auto x = try_receive()) return x;
      if (g.finished() || until.stop_requested()) return std::nullopt;
      g.wait_for_items(std::chrono::milliseconds(1));
    }
  }
  /// The next item, if one waits.
  std::optional<T> try_receive() {
    auto& g = this->held();
    g.refill();
    if (!g.available()) return std::nullopt;
    return g.take();
  }
  /// `receive`, as a source calls it.
  std::optional<T> operator()(const std::stop_token& until) { return receive(until); }

  /// No more items come in; those that wait can still be received, and then comes the end. The stream goes on
  /// without the tap. Any thread.
  void finish() { this->held().end(); }

  /// The tap is closed to new items.
  [[nodiscard]] bool ended() const { return this->held().finished(); }

 private:
  template <class> friend class model::branching;
  explicit tap(const std::shared_ptr<model::gate<T>>& g) : base(g) {}
};

}  // namespace THALWEG_NAMESPACE
