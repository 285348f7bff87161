/// `feed`: items for a stream that is running.
#pragma once

#include <thalweg/model/open_port.hpp>

#include <chrono>
#include <memory>
#include <stop_token>
#include <utility>

namespace THALWEG_NAMESPACE {

template <class T> class merge;

/// An input of a `tw::merge` that is opened, and closed again, while the graph runs: by
/// `merge.feed(options)`. A thread outside the graph sends the items, or another run: a feed is a function
/// that takes an item, so `tw::sink(merge.feed())` is a sink; it closes the feed at the end of its stream.
///
/// A copy is the same feed, which is closed when the last copy goes, or by `close()`: items that are in it
/// still flow. While one is open the merge does not end, even if all its inputs have; `execution::stop` and
/// the end of the run close all. A feed opened before a run belongs to the next one.
///
/// Order: items come out in the order in which they were sent. Threads: one thread at a time sends; `close`
/// may be called by any. If the feed is full, `send` waits, unless `.when_full` says otherwise.
///
/// ```cpp
/// int sum = 0;
/// tw::graph g;
/// auto& all = g.add<tw::merge<int>>();
/// g.connect(g.add(tw::source(std::vector{1, 2, 3})).out, all.input());
/// g.connect(all.out, g.add(tw::sink([&](int x) { sum += x; })).in);
/// tw::feed<int> more = all.feed();
/// auto e = tw::launch(g);
/// more.send(10);
/// more.send(20);
/// more.close();  // the merge may end
/// e.wait();
/// assert(sum == 36);
/// ```
template <class T> class feed : public model::open_port<T, &model::gate<T>::end> {
  using base = model::open_port<T, &model::gate<T>::end>;

 public:
  /// Sends an item; waits for room. Returns false, and sends nothing, if the feed is closed or its run over,
  /// or when `until` is requested meanwhile.
  bool send(T item, const std::stop_token& until = {}) {
    using put = typename model::gate<T>::put;
    auto& g = this->held();
    for (;;) {
      const auto what = g.try_push(item);
      if (what != put::full) return what != put::over;
      if (until.stop_requested()) return false;
      g.wait_for_room(std::chrono::milliseconds(1));
    }
  }
  /// Sends `item`, if there is room for it; otherwise leaves it as it is and returns false.
  bool try_send(T& item) {
    using put = typename model::gate<T>::put;
    const auto what = this->held().try_push(item);
    return what == put::taken || what == put::dropped;
  }
  /// `send`, as a sink calls it. Items that come when the feed is closed are given up.
  void operator()(T item, const std::stop_token& until) { (void)send(std::move(item), until); }
  /// `close`, as a sink calls it at the end of its stream.
  void on_end() { this->close(); }

  /// No item that is sent arrives any more.
  [[nodiscard]] bool closed() const { return this->held().over(); }

 private:
  friend class merge<T>;
  explicit feed(const std::shared_ptr<model::gate<T>>& g) : base(g) {}
};

}  // namespace THALWEG_NAMESPACE
