/// `interval_join`: pairs what two streams say about the same thing at about the same time.
#pragma once

#include <thalweg/model/callable.hpp>
#include <thalweg/model/stage.hpp>
#include <thalweg/pattern/as_pair.hpp>
#include <thalweg/pattern/key_table.hpp>
#include <thalweg/pattern/window/spec.hpp>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <queue>
#include <type_traits>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

/// How far the items of two streams may be out of order, and what is believed of their times.
struct interval_join_options {
  /// By how much an item may be behind the latest one of its own stream. An item further behind is late.
  std::chrono::nanoseconds disorder{0};
  /// Takes items of either stream as they come. Pairs are the same, in any order, and come as soon as both
  /// items are there.
  bool any_order = false;
  /// By how much an item may be ahead of the latest one of its own stream. An item further ahead is not
  /// accepted: it is late, and the time of its stream stays. 0: all are accepted. The first item always is;
  /// see `tw::event_time_options`.
  std::chrono::nanoseconds max_ahead{0};
};

namespace model {

/// Items in the order of their times; equal ones in the order in which they came.
template <class T> class timed_items {
 public:
  /// Fast where items are nearly in order.
  void add(std::int64_t time, T item) {
    auto at = items_.end();
    while (at != first() && time < std::prev(at)->time) --at;
    items_.insert(at, held{time, std::move(item)});
  }
  void drop_first() {
    ++dropped_;
    if (2 * dropped_ < items_.size()) return;
    items_.erase(items_.begin(), first());
    dropped_ = 0;
  }
  [[nodiscard]] bool empty() const noexcept { return dropped_ == items_.size(); }
  /// Calls `f` with the items of the times [from, to].
  template <class F> void between(std::int64_t from, std::int64_t to, F&& f) {
    auto at = std::lower_bound(first(), items_.end(), from,
                               [](const held& h, std::int64_t time) { return h.time < time; });
    for (; at != items_.end() && at->time <= to; ++at) f(std::as_const(at->item));
  }

 private:
  struct held {
    std::int64_t time;
    T item;
  };
  auto first() { return items_.begin() + static_cast<std::ptrdiff_t>(dropped_); }

  std::vector<held> items_;
  std::size_t dropped_ = 0;  // items at the front that are over
};

/// What is held of two streams, for any keys. Times are in ns; the `until` of an item is the last time at
/// which the other stream may have a partner for it.
template <class L, class R, class Out> class interval_partners {
 public:
  virtual ~interval_partners() = default;
  [[nodiscard]] virtual std::int64_t time_of_left(const L& item) = 0;
  [[nodiscard]] virtual std::int64_t time_of_right(const R& item) = 0;
  /// Sends the pairs that the item makes with those of the other stream whose times are within [from, to],
  /// and holds it for later ones if `until` is given.
  virtual void left(L item, std::int64_t time, std::int64_t from, std::int64_t to,
                    std::optional<std::int64_t> until, thalweg::out<Out>& pairs) = 0;
  virtual void right(R item, std::int64_t time, std::int64_t from, std::int64_t to,
                     std::optional<std::int64_t> until, thalweg::out<Out>& pairs) = 0;
  /// The left stream has reached this time: forgets the items of the right one that wait for earlier ones.
  virtual void left_reached(std::int64_t time) = 0;
  virtual void right_reached(std::int64_t time) = 0;
  virtual void clear() = 0;
};

/// The same for streams with keys of type K: a symmetric hash join.
template <class L, class R, class Out, class K, class KeyL, class KeyR, class TimeL, class TimeR,
          class Combine>
class keyed_partners final : public interval_partners<L, R, Out> {
 public:
  keyed_partners(KeyL key_l, KeyR key_r, TimeL time_l, TimeR time_r, Combine c)
      : key_left_(std::move(key_l)),
        key_right_(std::move(key_r)),
        time_left_(std::move(time_l)),
        time_right_(std::move(time_r)),
        combine_(std::move(c)) {}

  std::int64_t time_of_left(const L& item) override { return to_ns(std::invoke(time_left_, item)); }
  std::int64_t time_of_right(const R& item) override { return to_ns(std::invoke(time_right_, item)); }

  void left(L item, std::int64_t time, std::int64_t from, std::int64_t to, std::optional<std::int64_t> until,
            thalweg::out<Out>& pairs) override {
    const auto at = find(K(std::invoke(key_left_, std::as_const(item))));
    auto& both = keys_[at];
    both.right.between(from, to,
                       [&](const R& r) { pairs.send(std::invoke(combine_, std::as_const(item), r)); });
    if (until) {
      both.left.add(time, std::move(item));
      left_ends_.push({*until, at});
    }
    tidy(at);
  }
  void right(R item, std::int64_t time, std::int64_t from, std::int64_t to, std::optional<std::int64_t> until,
             thalweg::out<Out>& pairs) override {
    const auto at = find(K(std::invoke(key_right_, std::as_const(item))));
    auto& both = keys_[at];
    both.left.between(from, to,
                      [&](const L& l) { pairs.send(std::invoke(combine_, l, std::as_const(item))); });
    if (until) {
      both.right.add(time, std::move(item));
      right_ends_.push({*until, at});
    }
    tidy(at);
  }

  void left_reached(std::int64_t time) override { forget(right_ends_, time, &of_key::right); }
  void right_reached(std::int64_t time) override { forget(left_ends_, time, &of_key::left); }

  void clear() override {
    keys_ = {};
    left_ends_ = {};
    right_ends_ = {};
  }

 private:
  struct of_key {
    timed_items<L> left;
    timed_items<R> right;
  };
  using id = typename key_table<K, of_key>::id;
  // An item of a key is over: among those of one key, always the first.
  struct ends {
    std::int64_t time;
    id key;
    bool operator>(const ends& other) const { return time > other.time; }
  };
  using queue = std::priority_queue<ends, std::vector<ends>, std::greater<>>;

  id find(K key) {
    return keys_.find_or_add(std::move(key), [](const K&) { return of_key{}; }).number;
  }
  void tidy(id key) {
    if (keys_[key].left.empty() && keys_[key].right.empty()) keys_.erase(key);
  }
  template <class Items> void forget(queue& waiting, std::int64_t time, Items of_key::*items) {
    while (!waiting.empty() && waiting.top().time < time) {
      const auto key = waiting.top().key;
      waiting.pop();
      (keys_[key].*items).drop_first();
      tidy(key);
    }
  }

  KeyL key_left_;
  KeyR key_right_;
  TimeL time_left_;
  TimeR time_right_;
  Combine combine_;
  key_table<K, of_key> keys_;
  queue left_ends_, right_ends_;
};

}  // namespace model

/// Joins two streams by key and time: gives `combine(const L&, const R&) -> Out` (by default a pair) for each
/// two items with the same key if the right one is within [t - before, t + after], t being the time of the
/// left one. Either bound may be negative: (-5s, 10s) is from 5 to 10 seconds later.
///
/// `key_of_...` give keys of one type, as for `key_by`; `time_of_...` event times, as for `tw::event_time`.
/// They may be member pointers. An item waits for partners until the other stream has passed all times they
/// may have: its latest one minus `.disorder`. An item that is further than that behind the latest of its own
/// stream is late: it makes no pairs, and goes to `late_left` or `late_right`, which need not be connected.
/// So is one that is ahead of its stream by more than `.max_ahead`.
///
/// Order: deterministic. Of the two next items the one with the earlier time is taken, or the left one if
/// they are equal; its pairs with earlier items come in the order of the times of these. So a stream that is
/// ahead waits, and so do pairs, until the other stream has an item or ends. With `.any_order` nothing waits:
/// the same pairs, label multiset.
///
/// It holds the items of an interval and of the disorder; with `.any_order` also those by which one stream is
/// ahead of the other. Keys without items take no memory. Costs O(log n) per item for n items held, and the
/// call for each pair.
///
/// Errors: what the functions throw ends the run; null functions, an empty interval, a negative option are
/// an `invalid_job`. Event times must be within 146 years of the epoch: others end the run.
///
/// A symmetric hash join (Wilschut, Apers, "Dataflow Query Execution in a Parallel Main-Memory Environment",
/// PDIS 1991) over windows in time (Kang, Naughton, Viglas, "Evaluating Window Joins over Unbounded Streams",
/// ICDE 2003).
///
/// ```cpp
/// struct order { int id; std::chrono::seconds at; };
/// struct payment { int order; std::chrono::seconds at; double sum; };
/// std::vector<order> orders{{1, 0s}, {2, 5s}, {3, 9s}};
/// std::vector<payment> payments{{2, 6s, 9.5}, {1, 8s, 20.0}, {3, 60s, 1.0}};
/// using paid = std::pair<int, double>;
/// std::vector<paid> seen;
/// tw::graph g;
/// auto& join = g.add<tw::interval_join<order, payment, paid>>(
///     &order::id, &payment::order, &order::at, &payment::at, 0s, 10s,
///     [](const order& o, const payment& p) { return paid(o.id, p.sum); });
/// g.connect(g.add(tw::source(orders)).out, join.left);
/// g.connect(g.add(tw::source(payments)).out, join.right);
/// g.connect(join.out, g.add(tw::sink(seen)).in);
/// tw::run(g);
/// assert((seen == std::vector<paid>{{2, 9.5}, {1, 20.0}}));  // order 3 is not paid in time
/// ```
template <class L, class R, class Out = std::pair<L, R>> class interval_join final : public stage {
 public:
  static_assert(std::movable<L> && std::movable<R>,
                "thalweg::interval_join: items are held until partners come, so they must be movable");

  thalweg::in<L> left{this, "left"};
  thalweg::in<R> right{this, "right"};
  /// The pairs.
  thalweg::out<Out> out{this, "out"};
  /// Items that came too late.
  thalweg::out<L> late_left{this, "late_left", optional_port};
  thalweg::out<R> late_right{this, "late_right", optional_port};

  template <class KeyL, class KeyR, class TimeL, class TimeR, class Combine>
    requires(!std::same_as<Combine, interval_join_options>)
  interval_join(KeyL key_of_left, KeyR key_of_right, TimeL time_of_left, TimeR time_of_right,
                std::chrono::nanoseconds before, std::chrono::nanoseconds after, Combine combine,
                interval_join_options options = {})
      : before_(before), after_(after), options_(options) {
    static_assert(std::invocable<KeyL&, const L&> && std::invocable<KeyR&, const R&>,
                  "thalweg::interval_join: the keys must be callable as key_of_left(const L&) and "
                  "key_of_right(const R&)");
    static_assert(std::invocable<TimeL&, const L&> && std::invocable<TimeR&, const R&>,
                  "thalweg::interval_join: the times must be callable as time_of_left(const L&) and "
                  "time_of_right(const R&)");
    static_assert(std::is_invocable_r_v<Out, Combine&, const L&, const R&>,
                  "thalweg::interval_join: combine must be callable as combine(const L&, const R&) and give "
                  "the third type of interval_join<L, R, Out>, by default a pair of copies");
    using key = std::remove_cvref_t<std::invoke_result_t<KeyL&, const L&>>;
    static_assert(std::same_as<key, std::remove_cvref_t<std::invoke_result_t<KeyR&, const R&>>>,
                  "thalweg::interval_join: the keys of both streams must have the same type");
    static_assert(model::hashable<key> && std::equality_comparable<key>,
                  "thalweg::interval_join: the key needs a std::hash and operator==, or must be a pair or a "
                  "tuple of keys that have them");
    static_assert(
        model::timestamp<std::remove_cvref_t<std::invoke_result_t<TimeL&, const L&>>> &&
            model::timestamp<std::remove_cvref_t<std::invoke_result_t<TimeR&, const R&>>>,
        "thalweg::interval_join: a time is a std::chrono duration or time point, or an integer in ns");
    null_ = model::is_null_callable(key_of_left) || model::is_null_callable(key_of_right) ||
            model::is_null_callable(time_of_left) || model::is_null_callable(time_of_right) ||
            model::is_null_callable(combine);
    using partners = model::keyed_partners<L, R, Out, key, KeyL, KeyR, TimeL, TimeR, Combine>;
    partners_ =
        std::make_unique<partners>(std::move(key_of_left), std::move(key_of_right), std::move(time_of_left),
                                   std::move(time_of_right), std::move(combine));
  }
  template <class KeyL, class KeyR, class TimeL, class TimeR>
  interval_join(KeyL key_of_left, KeyR key_of_right, TimeL time_of_left, TimeR time_of_right,
                std::chrono::nanoseconds before, std::chrono::nanoseconds after,
                interval_join_options options = {})
      : interval_join(std::move(key_of_left), std::move(key_of_right), std::move(time_of_left),
                      std::move(time_of_right), before, after, model::as_pair{}, options) {}

  /// How many items were late in the run that has ended.
  [[nodiscard]] std::uint64_t late() const noexcept { return late_; }

  void validate() override {
    constexpr std::chrono::nanoseconds most(model::largest_window);
    if (null_) throw error("one of its functions is null: there is nothing to call");
    if (before_ > most || before_ < -most || after_ > most || after_ < -most)
      throw error("its interval must be within 9 years");
    if (after_ < -before_) throw error("its interval is empty: it ends before it begins");
    if (options_.disorder.count() < 0 || options_.disorder > most)
      throw error(".disorder must be between 0 and 9 years");
    if (options_.max_ahead.count() < 0 || options_.max_ahead > most)
      throw error(".max_ahead must be between 0 and 9 years");
  }
  void on_start() override {
    partners_->clear();
    left_at_ = right_at_ = {};
    late_ = 0;
  }
  void on_run() override {
    if (options_.any_order) {
      while (left.available()) take_left();
      while (right.available()) take_right();
    } else {
      while (left.ready() && right.ready() && !(left.ended() && right.ended()))
        left_is_next() ? take_left() : take_right();
    }
    if (left.ended() && std::exchange(left_at_.reached, over) != over) partners_->left_reached(over);
    if (right.ended() && std::exchange(right_at_.reached, over) != over) partners_->right_reached(over);
  }

 private:
  static constexpr auto over = std::numeric_limits<std::int64_t>::max();

  struct progress {
    std::optional<std::int64_t> head;  // the time of the next item, once that is known
    // The watermark: no earlier item will come in time.
    std::int64_t reached = std::numeric_limits<std::int64_t>::min();
  };

  bool left_is_next() {
    if (left.ended() || right.ended()) return right.ended();
    if (!left_at_.head) left_at_.head = partners_->time_of_left(left.front());
    if (!right_at_.head) right_at_.head = partners_->time_of_right(right.front());
    // An item that is not accepted must not wait for the other stream to reach its time, nor must all items
    // after it.
    if (too_far_ahead(left_at_, *left_at_.head)) return true;
    if (too_far_ahead(right_at_, *right_at_.head)) return false;
    return *left_at_.head <= *right_at_.head;
  }

  [[nodiscard]] bool too_far_ahead(const progress& stream, std::int64_t time) const {
    return options_.max_ahead.count() > 0 && stream.reached != progress{}.reached &&
           time > stream.reached + options_.disorder.count() + options_.max_ahead.count();
  }
  // Whether an item of this time is in time; if so, its stream has reached that time.
  bool in_time(progress& stream, std::int64_t time) {
    stream.head.reset();
    if (time < stream.reached || too_far_ahead(stream, time)) {
      ++late_;
      return false;
    }
    stream.reached = std::max(stream.reached, time - options_.disorder.count());
    return true;
  }

  void take_left() {
    L item = left.take();
    const auto time = left_at_.head ? *left_at_.head : partners_->time_of_left(item);
    if (!in_time(left_at_, time)) return late_left.send(std::move(item));
    partners_->left_reached(left_at_.reached);
    const auto from = time - before_.count();
    const auto to = time + after_.count();
    partners_->left(std::move(item), time, from, to, until(to, right_at_), out);
  }
  void take_right() {
    R item = right.take();
    const auto time = right_at_.head ? *right_at_.head : partners_->time_of_right(item);
    if (!in_time(right_at_, time)) return late_right.send(std::move(item));
    partners_->right_reached(right_at_.reached);
    const auto from = time - after_.count();
    const auto to = time + before_.count();
    partners_->right(std::move(item), time, from, to, until(to, left_at_), out);
  }
  // Until when an item waits for partners up to `to`: not at all if the other stream is beyond that.
  static std::optional<std::int64_t> until(std::int64_t to, const progress& other) {
    return to < other.reached ? std::nullopt : std::optional(to);
  }

  const std::chrono::nanoseconds before_, after_;
  const interval_join_options options_;
  bool null_ = false;
  std::unique_ptr<model::interval_partners<L, R, Out>> partners_;
  progress left_at_, right_at_;
  std::uint64_t late_ = 0;
};

}  // namespace THALWEG_NAMESPACE
