/// `join_by`: pairs the items of two streams that carry the same key, for instance a sequence number.
#pragma once

#include <thalweg/model/callable.hpp>
#include <thalweg/model/stage.hpp>
#include <thalweg/pattern/as_pair.hpp>
#include <thalweg/pattern/key_table.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

/// How far apart the two streams may be.
struct join_by_options {
  /// At most this many items of the right stream are held: those that came before the partner of the next
  /// left one. One more ends the run.
  std::int64_t max_waiting = 1'000'000;
};

namespace model {

/// An item of the right stream.
template <class R> struct right_item {
  R item;
  std::int64_t due;
  std::uint64_t number;  // in its stream
};

/// The right items whose partners have not come, for any keys, and the left item that is next, which seeks
/// its partner.
template <class L, class R, class Out> class waiting_partners {
 public:
  using partner = std::optional<right_item<R>>;

  virtual ~waiting_partners() = default;
  /// The partner of a left item if it waits. Otherwise the left item seeks it from now on.
  virtual partner seek(const L& left) = 0;
  /// The next right item: whether the left item seeks it. If not, `hold()` it.
  virtual bool is_sought(const R& right) = 0;
  /// Holds the item that `is_sought` was asked for last.
  virtual void hold(right_item<R> right) = 0;
  /// The left item does not seek any more.
  virtual void stop_seeking() = 0;
  virtual Out joined(L left, R right) = 0;
  /// How many are held.
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// All that are held, in their order.
  virtual std::vector<right_item<R>> give_up() = 0;
};

/// The same for keys of type K.
template <class L, class R, class Out, class K, class KeyL, class KeyR, class Combine>
class keyed_waiting_partners final : public waiting_partners<L, R, Out> {
 public:
  using partner = typename waiting_partners<L, R, Out>::partner;

  keyed_waiting_partners(KeyL key_l, KeyR key_r, Combine c)
      : key_left_(std::move(key_l)), key_right_(std::move(key_r)), combine_(std::move(c)) {}

  partner seek(const L& left) override {
    const auto at = find(K(std::invoke(key_left_, left)));
    auto& waiting = keys_[at];
    if (waiting.empty()) {
      sought_ = at;
      return {};
    }
    partner found(std::move(waiting.front()));
    waiting.pop_front();
    --size_;
    if (waiting.empty()) keys_.erase(at);
    return found;
  }
  bool is_sought(const R& right) override {
    asked_ = find(K(std::invoke(key_right_, right)));
    return sought_ == asked_;
  }
  void hold(right_item<R> right) override {
    keys_[asked_].push_back(std::move(right));
    ++size_;
  }
  void stop_seeking() override {
    if (sought_) keys_.erase(*std::exchange(sought_, std::nullopt));
  }
  Out joined(L left, R right) override { return std::invoke(combine_, std::move(left), std::move(right)); }
  [[nodiscard]] std::size_t size() const override { return size_; }

  std::vector<right_item<R>> give_up() override {
    std::vector<right_item<R>> all;
    all.reserve(size_);
    for (id at = 0; at < keys_.bound(); ++at) {
      if (!keys_.holds(at)) continue;
      for (auto& waits : keys_[at]) all.push_back(std::move(waits));
    }
    keys_ = {};
    size_ = 0;
    sought_.reset();
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
    return all;
  }

 private:
  // Those of one key, in their order. Almost always there is one.
  using of_key = std::list<right_item<R>>;
  using id = typename key_table<K, of_key>::id;

  id find(K key) {
    return keys_.find_or_add(std::move(key), [](const K&) { return of_key{}; }).number;
  }

  KeyL key_left_;
  KeyR key_right_;
  Combine combine_;
  key_table<K, of_key> keys_;
  std::size_t size_ = 0;
  std::optional<id> sought_;
  id asked_ = 0;
};

}  // namespace model

/// Joins two streams by key, whatever the order of their items: gives `combine(L, R) -> Out` (by default a
/// pair) for each two items with the same key. It puts together what the branches of a `tw::tee` or
/// `tw::split` made of the same item, if the items carry its number.
///
/// The keys, of one type as for `key_by`, are what `key_of_left(const L&)` and `key_of_right(const R&)` give
/// (or member pointers); `key_of` alone is for both. Each key should come at most once in each stream. If one
/// comes more often, its first left item is paired with its first right one, its second with its second, and
/// so on. Items without a partner, which are known when the other stream has ended, go to `unmatched_left` or
/// `unmatched_right`, which need not be connected, and are counted.
///
/// Order: deterministic; the pairs, and the unmatched left items, come in the order of the left stream, the
/// unmatched right ones in that of the right stream. Threads: serial. Under paced sources a result has the
/// later of the due times of its two items. It cannot be between a split and an ordered merge.
///
/// It takes the right items up to the partner of the next left one, and holds those that belong to later left
/// items: at most `.max_waiting`. Left items, and right items while there is no left one, wait in their pipes
/// and push back. So two branches of one stream are only held up by the slower one, and never block: a pipe
/// that is full while nothing moves grows, as for any stage that chooses (docs/graphs.md). Right items
/// without a partner stay until the left stream ends. A branch of an endless stream should therefore drop
/// nothing: let it send an empty `std::optional` instead, or join by time (`tw::interval_join`). Costs a
/// hash-table lookup per item.
///
/// Errors: what the functions throw, and more than `.max_waiting` right items to hold, end the run; null
/// functions and a `.max_waiting` below 1 are an `invalid_job`.
///
/// ```cpp
/// struct word { int number; std::string text; };
/// std::vector<word> words{{0, "a"}, {1, "bcd"}, {2, "ef"}};
/// struct length { int number; std::size_t is; };
/// std::vector<std::string> seen;
/// tw::graph g;
/// auto& both = g.add<tw::tee<word>>();
/// auto lengths = g.add(tw::farm([](const word& w) { return length{w.number, w.text.size()}; },
///                               {.replicas = 2, .unordered = true}));
/// auto& join = g.add<tw::join_by<word, length, std::string>>(
///     &word::number, &length::number,
///     [](const word& w, const length& l) { return w.text + std::to_string(l.is); });
/// g.connect(g.add(tw::source(words)).out, both.in);
/// g.connect(both.branch(), join.left);
/// g.connect(both.branch(), lengths.in);
/// g.connect(lengths.out, join.right);
/// g.connect(join.out, g.add(tw::sink(seen)).in);
/// tw::run(g);
/// assert((seen == std::vector<std::string>{"a1", "bcd3", "ef2"}));
/// ```
template <class L, class R, class Out = std::pair<L, R>> class join_by final : public stage {
 public:
  static_assert(std::movable<L> && std::movable<R>,
                "thalweg::join_by: items are held until partners come, so they must be movable");

  thalweg::in<L> left{this, "left"};
  thalweg::in<R> right{this, "right"};
  /// The pairs.
  thalweg::out<Out> out{this, "out"};
  /// Items without a partner.
  thalweg::out<L> unmatched_left{this, "unmatched_left", optional_port};
  thalweg::out<R> unmatched_right{this, "unmatched_right", optional_port};

  template <class KeyL, class KeyR, class Combine>
    requires(!std::same_as<Combine, join_by_options>)
  join_by(KeyL key_of_left, KeyR key_of_right, Combine combine, join_by_options options = {})
      : options_(options) {
    static_assert(std::invocable<KeyL&, const L&> && std::invocable<KeyR&, const R&>,
                  "thalweg::join_by: the keys must be callable as key_of_left(const L&) and "
                  "key_of_right(const R&)");
    static_assert(std::is_invocable_r_v<Out, Combine&, L, R>,
                  "thalweg::join_by: combine must be callable as combine(L, R) and give the third type of "
                  "join_by<L, R, Out>, by default a pair");
    using key = std::remove_cvref_t<std::invoke_result_t<KeyL&, const L&>>;
    static_assert(std::same_as<key, std::remove_cvref_t<std::invoke_result_t<KeyR&, const R&>>>,
                  "thalweg::join_by: the keys of both streams must have the same type");
    static_assert(model::hashable<key> && std::equality_comparable<key>,
                  "thalweg::join_by: the key needs a std::hash and operator==, or must be a pair or a tuple "
                  "of keys that have them");
    null_ = model::is_null_callable(key_of_left) || model::is_null_callable(key_of_right) ||
            model::is_null_callable(combine);
    using partners = model::keyed_waiting_partners<L, R, Out, key, KeyL, KeyR, Combine>;
    partners_ =
        std::make_unique<partners>(std::move(key_of_left), std::move(key_of_right), std::move(combine));
  }
  template <class KeyL, class KeyR>
    requires(!std::same_as<KeyR, join_by_options>)
  join_by(KeyL key_of_left, KeyR key_of_right, join_by_options options = {})
      : join_by(std::move(key_of_left), std::move(key_of_right), model::as_pair{}, options) {}
  template <class Key>
  explicit join_by(Key key_of, join_by_options options = {})
      : join_by(key_of, key_of, model::as_pair{}, options) {}

  /// How many items had no partner in the run that has ended.
  [[nodiscard]] std::uint64_t unmatched() const noexcept { return unmatched_; }

  void validate() override {
    if (null_) throw error("one of its functions is null: there is nothing to call");
    if (options_.max_waiting < 1) throw error(".max_waiting must be at least 1");
  }
  void on_start() override {
    partners_->give_up();
    seeks_ = false;
    seen_ = unmatched_ = 0;
  }
  void on_run() override {
    while (left.available()) {
      auto partner = find();
      if (!partner && !right.ended()) return;
      partners_->stop_seeking();
      seeks_ = false;
      join(std::move(partner));
    }
    if (left.ended()) give_up_right();
  }

 private:
  using found = typename model::waiting_partners<L, R, Out>::partner;

  // The partner of the next left item, if it is there.
  found find() {
    if (!seeks_) {
      if (auto waited = partners_->seek(left.front())) return waited;
      seeks_ = true;
    }
    while (right.available()) {
      const bool sought = partners_->is_sought(right.front());
      if (!sought && partners_->size() >= static_cast<std::size_t>(options_.max_waiting)) refuse();
      auto next = take_right();
      if (sought) return next;
      partners_->hold(std::move(next));
    }
    return {};
  }
  void join(found partner) {
    L item = left.take();
    if (!partner) {
      ++unmatched_;
      return unmatched_left.send(std::move(item));
    }
    this->context().due = std::max(this->context().due, partner->due);
    out.send(partners_->joined(std::move(item), std::move(partner->item)));
  }
  model::right_item<R> take_right() {
    R item = right.take();
    return {std::move(item), this->context().due, seen_++};
  }
  // There are no more left items.
  void give_up_right() {
    const auto alone = [&](model::right_item<R> r) {
      ++unmatched_;
      this->context().due = r.due;
      unmatched_right.send(std::move(r.item));
    };
    if (partners_->size() > 0) {
      for (auto& held : partners_->give_up()) alone(std::move(held));
    }
    while (right.available()) alone(take_right());
  }
  [[noreturn]] void refuse() const {
    throw error("it holds " + std::to_string(partners_->size()) +
                " items of its right stream whose partners have not come, as many as .max_waiting allows. If "
                "the streams are further apart than that, raise it; if one of them drops items, let it send "
                "something in their place");
  }

  const join_by_options options_;
  bool null_ = false;
  std::unique_ptr<model::waiting_partners<L, R, Out>> partners_;
  bool seeks_ = false;  // the next left item has been looked for among those that are held
  std::uint64_t seen_ = 0;
  std::uint64_t unmatched_ = 0;
};

}  // namespace THALWEG_NAMESPACE
