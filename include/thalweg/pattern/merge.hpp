/// `merge`: several streams become one.
#pragma once

#include <thalweg/pattern/split.hpp>

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace thalweg {

/// How `tw::merge` chooses the next item.
enum class merging : std::uint8_t {
  first_come,  ///< whatever is there
  in_turn,     ///< one item of each input, in turn; inputs that have ended are left out
  ordered,     ///< in the order of the `tw::split` or `tw::tee` that all inputs come from
};
inline constexpr merging first_come = merging::first_come;
inline constexpr merging in_turn = merging::in_turn;
inline constexpr merging ordered = merging::ordered;

/// Puts streams of the same type together.
///
/// Order: with `tw::ordered` deterministic: the items come in the order in which the split in front sent what
/// they were made from, whatever the branches drop or add. In turn: deterministic. By a comparator
/// (`tw::merge<T>(std::less<>{})`): the least of the next items first, of equal ones that of the lower input;
/// sorted inputs give a sorted output; deterministic. First come (the default): each input in its order.
///
/// Inputs from which nothing is wanted now are not read, and push back: there is no buffer here that could
/// grow.
///
/// Errors: no input, or for `tw::ordered` inputs that do not come from one split, is an `invalid_job`.
///
/// ```cpp
/// std::vector<int> seen;
/// tw::graph g;
/// auto& s = g.add<tw::split<int>>();
/// auto& m = g.add<tw::merge<int>>(tw::ordered);
/// g.connect(g.add(tw::source(std::vector{1, 2, 3, 4})).out, s.in);
/// auto tens = g.add(tw::map([](int x) { return 10 * x; }));
/// g.connect(s.branch(), tens.in);
/// g.connect(tens.out, m.input());
/// g.connect(s.branch(), m.input());
/// g.connect(m.out, g.add(tw::sink(seen)).in);
/// tw::run(g);
/// assert((seen == std::vector{10, 2, 30, 4}));
/// ```
template <class T> class merge final : public stage {
 public:
  thalweg::out<T> out{this, "out"};

  explicit merge(merging how = first_come) : how_(how) {}
  /// `before(a, b)`: whether `a` goes first.
  template <class Before>
    requires std::predicate<Before&, const T&, const T&>
  explicit merge(Before before) : how_(merging::first_come), before_(std::move(before)) {}

  /// A new input, called `input-0`, `input-1`, ... To be called before the run.
  thalweg::in<T>& input() {
    const auto n = inputs_.size();
    inputs_.push_back(std::make_unique<thalweg::in<T>>(this, "input-" + std::to_string(n)));
    return *inputs_.back();
  }
  /// Input `i`, and those before it if they do not exist yet.
  thalweg::in<T>& input(std::size_t i) {
    while (inputs_.size() <= i) input();
    return *inputs_[i];
  }

  void on_start() override {
    turn_ = 0;
    upto_ = std::numeric_limits<std::int64_t>::min();
  }
  void validate() override {
    if (inputs_.empty()) throw error("it has no input: connect its input()");
  }
  void on_run() override {
    if (before_) return sorted();
    switch (how_) {
      case merging::first_come:
        return whatever_comes();
      case merging::in_turn:
        return turns();
      case merging::ordered:
        return in_order();
    }
  }

 private:
  static constexpr auto least = std::numeric_limits<std::int64_t>::min();
  static constexpr auto never = std::numeric_limits<std::int64_t>::max();

  void whatever_comes() {
    for (auto& p : inputs_) {
      while (p->available()) out.send(p->take());
    }
  }

  void turns() {
    std::size_t over = 0;
    while (over < inputs_.size()) {
      auto& p = *inputs_[turn_];
      if (!p.ready()) return;
      if (p.ended()) {
        ++over;
      } else {
        out.send(p.take());
        over = 0;
      }
      turn_ = turn_ + 1 == inputs_.size() ? 0 : turn_ + 1;
    }
  }

  void sorted() {
    for (;;) {
      thalweg::in<T>* next = nullptr;
      for (auto& p : inputs_) {
        if (!p->ready()) return;
        if (!p->ended() && (next == nullptr || before_(p->front(), next->front()))) next = p.get();
      }
      if (next == nullptr) return;
      out.send(next->take());
    }
  }

  // A place in the order: of the same rank, what comes from the lower input is first.
  struct place {
    std::int64_t rank = never;
    std::size_t input = 0;
    auto operator<=>(const place&) const = default;
  };

  // The input with the lowest rank goes on for as long as no other can have a lower one.
  void in_order() {
    for (;;) {
      place next, bound;
      bool any = false;
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        const auto& p = *inputs_[i];
        const place here{p.available() ? p.rank() : p.upto(), i};
        if (p.available() && (!any || here < next)) {
          if (any) bound = std::min(bound, next);
          next = here;
          any = true;
        } else {
          bound = std::min(bound, here);
        }
      }
      upto_ = any ? std::min(next.rank, bound.rank) : bound.rank;
      if (!any || bound < next) return;
      auto& from = *inputs_[next.input];
      do {
        const auto mine = from.rank();
        T item = from.take();
        if (nested_) this->set_rank(giver_->outer(mine));
        out.send(std::move(item));
      } while (from.available() && place{from.rank(), next.input} < bound);
    }
  }

  [[nodiscard]] model::order_role role() const noexcept override {
    return how_ == merging::ordered && !before_ ? model::order_role::restores : model::order_role::none;
  }
  void follow(model::rank_giver& split, bool nested) override {
    giver_ = &split;
    nested_ = nested;
  }
  [[nodiscard]] std::int64_t upto() const override {
    // Before the first item the split may not have begun its run.
    return nested_ && upto_ != never && upto_ != least ? giver_->outer(upto_) : upto_;
  }

  const merging how_;
  std::function<bool(const T&, const T&)> before_;
  std::vector<std::unique_ptr<thalweg::in<T>>> inputs_;
  std::size_t turn_ = 0;
  std::int64_t upto_ = least;
  model::rank_giver* giver_ = nullptr;
  bool nested_ = false;
};

}  // namespace thalweg
