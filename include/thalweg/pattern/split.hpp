/// `split` and `tee`: one stream becomes several.
#pragma once

// The protocol of order behind branches, in front of them.
//
// State: `next_` is the rank of the next item. A split between a split and its ordered merge keeps in
//   `outer_` which outer rank stands for which of its own ranks.
// Writers: the thread that executes the split writes both. The ordered merge reads `outer_`, and removes
//   what it has passed, under `lock_`.
// Invariant: ranks grow with each item. What is sent from now on, into any branch, has at least rank
//   `upto()`: the engine promises this to the branches at the end of each run of items.
// Model: docs/protocols/branch_order.pml.

#include <thalweg/model/gate.hpp>
#include <thalweg/model/stage.hpp>
#include <thalweg/observe/clock.hpp>
#include <thalweg/pattern/tap.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

namespace model {

/// Numbers items for an ordered merge. A split that is itself between a split and an ordered merge gives new
/// numbers; it keeps which outer rank belongs to which of its own numbers until the merge has passed it.
class rank_giver {
 public:
  virtual ~rank_giver() = default;
  /// The outer rank of the items up to its own rank `mine`; forgets those before it.
  [[nodiscard]] virtual std::int64_t outer(std::int64_t mine) = 0;
  /// Each item goes into all branches, not into one.
  [[nodiscard]] virtual bool copies() const noexcept { return false; }
};

/// What `split` and `tee` have in common: branches, and ranks for their items.
template <class T> class branching : public stage, public rank_giver, private gateway {
 public:
  /// A new branch: an output called `branch-0`, `branch-1`, ... To be called before the run.
  thalweg::out<T>& branch() {
    const auto n = branches_.size();
    branches_.push_back(std::make_unique<thalweg::out<T>>(this, "branch-" + std::to_string(n)));
    return *branches_.back();
  }
  /// Branch `i`, and those before it if they do not exist yet.
  thalweg::out<T>& branch(std::size_t i) {
    while (branches_.size() <= i) branch();
    return *branches_[i];
  }
  [[nodiscard]] std::size_t branches() const noexcept { return branches_.size(); }
  /// A new branch at any time, from any thread, for a thread outside the graph or another run: see `tw::tap`.
  /// It comes after the branches, in the order in which taps were opened, and gets the items from now on.
  thalweg::tap<T> tap(const gate_options& opts = {}) { return thalweg::tap<T>(taps_.open(opts)); }

  void on_start() override {
    next_ = 0;
    const std::lock_guard hold(lock_);
    outer_.clear();
  }
  void validate() override {
    if (branches_.empty()) throw error("it has no branch: connect its branch()");
  }
  void on_end() override {
    for (auto& tap : taps_.close()) {
      if (tap->over()) this->dropped_out += tap->given_up();
      tap->end();
    }
  }

  [[nodiscard]] std::int64_t outer(std::int64_t mine) override {
    if (mine >= pipe::end_rank) return mine;
    const std::lock_guard hold(lock_);
    while (outer_.size() > 1 && outer_[1].first <= mine) outer_.pop_front();
    return outer_.empty() ? std::numeric_limits<std::int64_t>::min() : outer_.front().second;
  }

 protected:
  branching() = default;

  // The taps that are open now. To be called once for each item.
  [[nodiscard]] const std::vector<typename gates<T>::pointer>& open_taps() {
    if (taps_.open_now() != 0 || !open_.empty()) [[unlikely]]
      open_ = taps_.look([&](const gate<T>& g) {
        const bool over = g.over();
        if (over) this->dropped_out += g.given_up();
        return over;
      });
    return open_;
  }
  // If the tap is full, this thread waits until the reader makes room. Not when the run is to end: then items
  // on their way go in, so that the run ends whatever the reader does, and nothing is lost. False: the tap
  // has gone, and the item is still there.
  bool send_to(gate<T>& tap, T& item) {
    using put = typename gate<T>::put;
    auto& ctx = this->context();
    for (;;) {
      switch (tap.try_push(item, !ctx.source_interrupted())) {
        case put::taken:
          ++this->sent_out;
          return true;
        case put::dropped:
          ++this->dropped_out;
          return true;
        case put::over:
          return false;
        case put::full:
          break;
      }
      if (ctx.interrupted()) throw cancelled{};
      for (auto& b : branches_) b->flush();  // what makes room may wait for what comes of these
      const auto begin = observe::now_ns();
      tap.wait_for_room(std::chrono::milliseconds(1));
      ctx.waited_ns += observe::now_ns() - begin;
    }
  }

  // Before an item is sent: gives it its rank.
  void number() {
    if (!gives_) return;
    if (nested_) remember(this->rank());
    this->set_rank(next_++);
  }

  // The same for this many items, which have no ranks yet: returns the first rank.
  [[nodiscard]] std::int64_t number_next(std::size_t items) noexcept {
    return std::exchange(next_, next_ + static_cast<std::int64_t>(gives_ ? items : 0));
  }

  [[nodiscard]] order_role role() const noexcept override { return order_role::gives; }
  void give_ranks(bool nested) override {
    gives_ = true;
    nested_ = nested;
  }
  [[nodiscard]] std::int64_t upto() const override { return next_; }
  [[nodiscard]] rank_giver* giver() noexcept override { return this; }
  void progressed(std::int64_t upto) override {
    if (nested_) remember(upto);
  }

  std::vector<std::unique_ptr<thalweg::out<T>>> branches_;

 private:
  [[nodiscard]] model::gateway* gateway() noexcept final { return this; }
  void run_over() final {
    taps_.clear();
    open_.clear();
  }
  [[nodiscard]] std::size_t taps() const final { return taps_.count(); }

  void remember(std::int64_t rank) {
    const std::lock_guard hold(lock_);
    if (outer_.empty() || outer_.back().second != rank) outer_.emplace_back(next_, rank);
  }

  bool gives_ = false;
  bool nested_ = false;
  std::int64_t next_ = 0;
  pipe::spinlock lock_;
  std::deque<std::pair<std::int64_t, std::int64_t>> outer_;  // from its own rank on, the outer one
  gates<T> taps_;
  std::vector<typename gates<T>::pointer> open_;  // when this was looked at last
};

}  // namespace model

/// Deals the items of a stream out to branches: in turn (`tw::round_robin`), in turn to those that have room
/// (`tw::next_with_room`), to the one that has room and the fewest waiting items (`tw::on_demand`), or by a
/// function: `tw::route<T>(f)` with `f(const T&, branches) -> branch`, so also by key (`tw::by_key<T>(key)`)
/// and by predicate (`tw::where<T>(p)`: branch 0 where `p(item)`, branch 1 where not). To send each item to
/// all branches use `tw::tee`.
///
/// Order: each branch has its items in order. An ordered `tw::merge` after it joins the branches again in the
/// order of the split; with `tw::on_demand` and `tw::next_with_room` time decides which branch gets an item.
///
/// Branches that come and go while the graph runs: `split.tap()`, see `tw::tap`.
///
/// Errors: no branch, or a branch that is not connected, is an `invalid_job`.
///
/// ```cpp
/// std::vector<int> odd, even;
/// tw::graph g;
/// auto& s = g.add<tw::split<int>>(tw::where<int>([](const int& x) { return x % 2 == 0; }));
/// g.connect(g.add(tw::source(std::vector{1, 2, 3})).out, s.in);
/// g.connect(s.branch(0), g.add(tw::sink(even)).in);
/// g.connect(s.branch(1), g.add(tw::sink(odd)).in);
/// tw::run(g);
/// assert((even == std::vector{2} && odd == std::vector{1, 3}));
/// ```
template <class T> class split final : public model::branching<T> {
 public:
  /// Where the items come from.
  thalweg::in<T> in{this, "in"};

  explicit split(schedule how = round_robin) : how_(std::move(how)) {}

  void on_start() override {
    model::branching<T>::on_start();
    turn_ = to_ = left_ = 0;
  }
  void validate() override {
    model::branching<T>::validate();
    if (how_.null()) throw error("the function that chooses the branch is null: there is nothing to call");
    if (how_.routed_type() != nullptr && *how_.routed_type() != typeid(T))
      throw error("the function that chooses the branch takes another type than the items of this stage");
  }

  // In turn, until one has to be handed over.
  std::size_t on_items(thalweg::in<T>&, std::span<T> items) {
    const auto& all = this->branches_;
    if (how_.how() != schedule::kind::round_robin || !this->open_taps().empty()) return 0;
    const auto n = all.size();
    auto most = items.size();
    for (std::size_t k = 0; k < n && k < most; ++k) most = std::min(most, k + n * all[branch_at(k)]->room());
    const auto rank = this->number_next(most);
    for (std::size_t k = 0; k < n && k < most; ++k) {
      const auto share = (most - k + n - 1) / n;
      all[branch_at(k)]->send_every(items.data() + k, share, n, rank + static_cast<std::int64_t>(k));
    }
    turn_ = branch_at(most % n);
    return most;
  }
  void on_item(thalweg::in<T>&, T item) {
    this->number();
    const auto& all = this->branches_;
    const auto& taps = this->open_taps();
    const auto n = all.size() + taps.size();
    switch (how_.how()) {
      case schedule::kind::round_robin:
        to_ = turn_ < n ? turn_ : 0;  // a tap may have gone
        turn_ = to_ + 1 == n ? 0 : to_ + 1;
        break;
      case schedule::kind::route:
        to_ = how_(&item, n);
        break;
      case schedule::kind::on_demand:
        if (left_ == 0 || to_ >= n) left_ = choose(taps);
        --left_;
        break;
      case schedule::kind::next_with_room:
        next_with_room(taps);
        break;
    }
    if (to_ < all.size()) [[likely]]
      return all[to_]->send(std::move(item));
    if (!this->send_to(*taps[to_ - all.size()], item)) all[to_ % all.size()]->send(std::move(item));
  }

 private:
  [[nodiscard]] bool chooses_outputs() const noexcept override {
    return how_.how() == schedule::kind::on_demand || how_.how() == schedule::kind::next_with_room;
  }
  // Whose turn it is after `k` more items, fewer than there are branches.
  [[nodiscard]] std::size_t branch_at(std::size_t k) const {
    const auto n = this->branches_.size();
    const auto at = (turn_ < n ? turn_ : 0) + k;
    return at < n ? at : at - n;
  }

  static constexpr std::size_t at_once = 16;  // items to one branch between two looks at how much waits
  using tap_list = std::vector<typename model::gates<T>::pointer>;

  // Of branch i, or the tap behind the branches.
  [[nodiscard]] std::size_t free(std::size_t i, const tap_list& taps) const {
    const auto& all = this->branches_;
    return i < all.size() ? all[i]->free() : taps[i - all.size()]->free();
  }

  // Among those with room, the one with the fewest waiting items; returns how many items it gets, at most as
  // many as it has room for.
  std::size_t choose(const tap_list& taps) {
    const auto& all = this->branches_;
    const auto count = all.size() + taps.size();
    auto least = std::numeric_limits<std::int64_t>::max();
    std::size_t most = 0;
    const auto begin = to_ + 1;
    for (std::size_t k = 0; k < count; ++k) {
      const auto i = (begin + k) % count;
      const auto some = free(i, taps);
      if (some == 0) continue;
      const auto n = i < all.size() ? all[i]->load() : taps[i - all.size()]->waiting();
      if (n < least) {
        least = n;
        most = std::min(some, at_once);
        to_ = i;
      }
    }
    if (most != 0) return most;
    to_ = quickest();
    return 1;
  }

  // From the branch whose turn it is, the first with room.
  void next_with_room(const tap_list& taps) {
    const auto count = this->branches_.size() + taps.size();
    const auto begin = turn_ < count ? turn_ : 0;  // a tap may have gone
    std::size_t k = 0;
    while (k < count && free((begin + k) % count, taps) == 0) ++k;
    to_ = k < count ? (begin + k) % count : quickest();
    turn_ = (to_ + 1) % count;
  }

  // None has room: the branch that has taken most so far is likely to be the first to have some.
  [[nodiscard]] std::size_t quickest() const {
    const auto& all = this->branches_;
    const auto taken = [](const auto& b) { return static_cast<std::int64_t>(b->sent()) - b->load(); };
    const auto most = std::max_element(all.begin(), all.end(),
                                       [&](const auto& a, const auto& b) { return taken(a) < taken(b); });
    return static_cast<std::size_t>(most - all.begin());
  }

  schedule how_;
  std::size_t turn_ = 0;  // whose it is next
  std::size_t to_ = 0;    // who got the last item
  std::size_t left_ = 0;
};

/// For `tw::split`: items of the same key go to the same branch. `key(const T&)` gives the key, which must
/// have a `std::hash`.
template <class T, class F> schedule by_key(F key) {
  return route<T>([k = std::move(key)](const T& x, std::size_t branches) -> std::size_t {
    using type = std::remove_cvref_t<std::invoke_result_t<const F&, const T&>>;
    // Spread: the hash of a number is often the number itself.
    return (std::hash<type>{}(std::invoke(k, x)) * std::size_t{0x9E3779B97F4A7C15} >> 32) % branches;
  });
}

/// For `tw::split`: branch 0 gets the items for which `p(const T&)` holds, branch 1 the others.
template <class T, class P> schedule where(P p) {
  return route<T>([q = std::move(p)](const T& x, std::size_t) -> std::size_t { return q(x) ? 0 : 1; });
}

/// Sends a copy of each item to every branch.
///
/// Order: deterministic, in each branch. An ordered `tw::merge` after it gives, for each item, its results
/// from branch 0, then from branch 1, and so on.
///
/// ```cpp
/// int sum = 0, count = 0;
/// tw::graph g;
/// auto& t = g.add<tw::tee<int>>();
/// g.connect(g.add(tw::source(std::vector{1, 2, 3})).out, t.in);
/// g.connect(t.branch(), g.add(tw::sink([&](int x) { sum += x; })).in);
/// g.connect(t.branch(), g.add(tw::sink([&](int) { ++count; })).in);
/// tw::run(g);
/// assert(sum == 6 && count == 3);
/// ```
template <class T> class tee final : public model::branching<T> {
 public:
  static_assert(std::is_copy_constructible_v<T>,
                "thalweg::tee: each branch gets a copy, but the items cannot be copied");
  /// Where the items come from.
  thalweg::in<T> in{this, "in"};

  void on_item(thalweg::in<T>&, T item) {
    this->number();
    auto& all = this->branches_;
    for (const auto& tap : this->open_taps()) {
      T copy = item;
      (void)this->send_to(*tap, copy);
    }
    for (std::size_t i = 1; i < all.size(); ++i) all[i]->send(item);
    all[0]->send(std::move(item));
  }

 private:
  [[nodiscard]] bool copies() const noexcept override { return true; }
};

}  // namespace THALWEG_NAMESPACE
