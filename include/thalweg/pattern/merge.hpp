/// `merge`: several streams become one.
#pragma once

// The protocol of order behind branches, where they end.
//
// State: for each input the items that wait, each with its rank, and a promise: no item of a lower rank
//   comes.
// Writers: the thread that executes the merge takes items. The engine puts items and promises into the
//   ports, between the calls of `on_run`.
// Invariant: of all items that may still come, the one that is sent next has the lowest place, which is
//   its rank and then the number of its input. An input where nothing waits counts with the rank that it
//   has promised.
// Model: docs/protocols/branch_order.pml.

#include <thalweg/observe/clock.hpp>
#include <thalweg/pattern/feed.hpp>
#include <thalweg/pattern/split.hpp>
#include <thalweg/pattern/tournament.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

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
/// Order: with `tw::ordered` deterministic: the items come in the order in which the split in front sent
/// their parents, whatever the branches drop or add. In turn: deterministic. By a comparator
/// (`tw::merge<T>(std::less<>{})`): the least of the next items first, among equal ones that of the lower
/// input; sorted inputs give a sorted output; deterministic. First come (the default): each input in its
/// order.
///
/// It does not read inputs from which it needs nothing now, so they push back: no buffer here can grow.
///
/// Inputs that come and go while the graph runs: `merge.feed()`, see `tw::feed`.
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
template <class T> class merge final : public stage, private model::gateway {
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

  /// A new input at any time, from any thread, for a thread outside the graph or another run: see `tw::feed`.
  /// It comes after the inputs, in the order in which feeds were opened. Throws `thalweg::error` for an
  /// ordered merge, whose items all come from one split.
  thalweg::feed<T> feed(const gate_options& opts = {}) {
    if (this->in_loop)
      throw error("stage '" + this->name() +
                  "' is in a loop, so it cannot have feeds: the end of the loop could not be detected");
    if (how_ == merging::ordered && !before_)
      throw error("stage '" + this->name() +
                  "': an ordered tw::merge takes only what its split has sent, so it "
                  "cannot have feeds");
    auto made = thalweg::feed<T>(feeds_.open(opts, this->door));
    this->door->ring();
    return made;
  }

  void on_start() override {
    look(false);
    turn_ = 0;
    next_.resize(inputs_.size(), least);
  }
  void validate() override {
    if (inputs_.empty()) throw error("it has no input: connect its input()");
  }
  // What came in through a feed just before the end.
  void on_end() override {
    for (auto& fed : feeds_.close()) {
      fed->end();
      entry from{nullptr, fed};
      for (fed->refill(); from.available(); fed->refill()) out.send(from.take(*this));
    }
  }
  void on_run() override {
    if (feeds_.open_now() != 0 || all_.size() != inputs_.size()) [[unlikely]]
      look(takes());
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

  // An input of the graph, or a feed.
  struct entry {
    thalweg::in<T>* port = nullptr;
    std::shared_ptr<model::gate<T>> fed = nullptr;

    [[nodiscard]] bool available() const { return port != nullptr ? port->available() : fed->available(); }
    [[nodiscard]] bool ended() const { return port != nullptr ? port->ended() : fed->finished(); }
    [[nodiscard]] bool ready() const { return available() || ended(); }
    [[nodiscard]] const T& front() const { return port != nullptr ? port->front() : fed->front(); }
    T take(const merge& m) {
      if (port != nullptr) [[likely]]
        return port->take();
      auto& ctx = m.context();
      ++ctx.tallies[0].in;
      ctx.take_marks({ctx.paced ? observe::now_ns() : 0, 0});
      return fed->take();
    }
  };

  // The open feeds. `fetch`: also the items that have come in through them.
  void look(bool fetch) {
    all_.clear();
    for (auto& p : inputs_) all_.push_back({p.get()});
    const auto is_over = [&](model::gate<T>& fed) {
      if (fetch) fed.refill();
      return fed.finished();
    };
    for (auto& fed : feeds_.look(is_over)) all_.push_back({nullptr, std::move(fed)});
  }
  // A paused run takes nothing from outside.
  [[nodiscard]] bool takes() const {
    const auto& ctx = this->context();
    return !ctx.source_held() || ctx.source_interrupted();
  }

  void waits_for(const entry& p) {
    if (p.fed != nullptr) waits_for_feed_.store(true, std::memory_order_relaxed);
  }

  void whatever_comes() {
    for (auto& p : all_) {
      if (p.port == nullptr) {
        while (p.available()) out.send(p.take(*this));
        continue;
      }
      for (cursor from(*p.port); from.left() > 0;) {
        if (from.marked()) {
          send_next(from);
        } else {
          this->context().take_marks(from.mark());
          from.send_rest(out);
        }
      }
    }
  }

  // Goes through the items of an input. The input is told at the end.
  class cursor {
   public:
    explicit cursor(thalweg::in<T>& port) : port_(&port) {
      const auto all = port.all_left();
      begin_ = item_ = all.items.data();
      end_ = begin_ + all.items.size();
      mark_ = all.marks != nullptr ? all.marks : &pipe::no_mark;
      step_ = all.marks != nullptr ? 1 : 0;
    }
    cursor(cursor&& other) noexcept : cursor(static_cast<const cursor&>(other)) { other.port_ = nullptr; }
    cursor& operator=(cursor&&) = delete;
    ~cursor() {
      if (port_ != nullptr && item_ != begin_) port_->took(static_cast<std::size_t>(item_ - begin_));
    }

    [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - item_); }
    [[nodiscard]] const pipe::mark& mark() const noexcept { return *mark_; }
    /// The rank of the next item, or the rank that was promised for it.
    [[nodiscard]] std::int64_t place() const noexcept { return item_ != end_ ? mark_->rank : port_->upto(); }
    T&& next() noexcept {
      mark_ += step_;
      return std::move(*item_++);
    }
    [[nodiscard]] bool marked() const noexcept { return step_ != 0; }
    /// Sends all that is left, without marks.
    void send_rest(thalweg::out<T>& to) {
      struct left {
        cursor& of;
        std::span<T> items{of.item_, of.end_};
        ~left() { of.item_ = items.data(); }
      } rest{*this};
      to.send(rest.items);
    }

   private:
    cursor(const cursor&) = default;

    thalweg::in<T>* port_;
    T* item_;
    T* end_;
    T* begin_;
    const pipe::mark* mark_;
    std::ptrdiff_t step_;
  };
  void send_next(cursor& from) {
    this->context().take_marks(from.mark());
    out.send(from.next());
  }

  void turns() {
    waits_for_feed_.store(false, std::memory_order_relaxed);
    std::size_t over = 0;
    if (turn_ >= all_.size()) turn_ = 0;  // a feed may have gone
    while (over < all_.size()) {
      auto& p = all_[turn_];
      if (!p.ready()) return waits_for(p);
      if (p.ended()) {
        ++over;
      } else {
        out.send(p.take(*this));
        over = 0;
      }
      turn_ = turn_ + 1 == all_.size() ? 0 : turn_ + 1;
    }
  }

  void sorted() {
    waits_for_feed_.store(false, std::memory_order_relaxed);
    for (;;) {
      entry* next = nullptr;
      for (auto& p : all_) {
        if (!p.ready()) return waits_for(p);
        if (!p.ended() && (next == nullptr || before_(p.front(), next->front()))) next = &p;
      }
      if (next == nullptr) return;
      out.send(next->take(*this));
    }
  }

  // Within a rank, the lower input is first. An input where nothing waits may still send items of the rank
  // that it has promised, so this rank counts.
  void in_order() {
    const auto n = inputs_.size();
    const struct clearing {
      std::vector<cursor>& all;
      ~clearing() { all.clear(); }
    } at_end{cursors_};
    for (auto& p : inputs_) cursors_.emplace_back(*p);
    const auto play = [&] {
      for (std::size_t i = 0; i < n; ++i) next_.set(i, cursors_[i].place());
      next_.play();
    };
    for (play(); cursors_[next_.winner()].left() > 0;) {
      const auto first = next_.winner();
      const auto touched = go_round(first);
      if (touched >= n) {
        play();
      } else {
        for (auto i = first, k = touched; k > 0; --k, i = behind(i)) next_.replay(i, cursors_[i].place());
      }
    }
  }

  // Sends the next item, from input `i`, and goes on for as long as the input behind it has the next one,
  // which can be told without a look at the others: after the last item of a rank comes, behind a split, that
  // of the next rank, wherever it is, since each item went into one branch; behind a tee, the same rank of
  // the next input. Returns from how many inputs it has taken.
  std::size_t go_round(std::size_t i) {
    for (std::size_t touched = 1;; ++touched) {
      auto& from = cursors_[i];
      const auto rank = from.mark().rank;
      do {
        if (nested_) {
          send_nested(from, rank);
        } else {
          send_next(from);
        }
      } while (from.left() > 0 && from.mark().rank == rank);
      if (from.place() <= rank) return touched;
      i = behind(i);
      const auto& next = cursors_[i];
      if (!one_way_each_ || next.left() == 0 || next.mark().rank != rank + (copies_ && i != 0 ? 0 : 1))
        return touched;
    }
  }
  void send_nested(cursor& from, std::int64_t rank) {
    this->context().take_marks(from.mark());
    this->set_rank(giver_->outer(rank));
    out.send(from.next());
  }
  [[nodiscard]] std::size_t behind(std::size_t i) const { return i + 1 == inputs_.size() ? 0 : i + 1; }

  [[nodiscard]] model::gateway* gateway() noexcept override { return this; }
  [[nodiscard]] bool kept_open() const noexcept override { return feeds_.open_now() != 0; }
  [[nodiscard]] bool waits_outside() const noexcept override {
    return waits_for_feed_.load(std::memory_order_relaxed);
  }
  void close_feeds() override {
    feeds_.each([](auto& fed) { fed.end(); });
  }
  void run_over() override {
    all_.clear();
    feeds_.clear();
  }
  [[nodiscard]] std::size_t feeds() const override { return feeds_.count(); }

  [[nodiscard]] model::order_role role() const noexcept override {
    return how_ == merging::ordered && !before_ ? model::order_role::restores : model::order_role::none;
  }
  void follow(model::rank_giver& split, bool nested, bool one_way_each) override {
    giver_ = &split;
    copies_ = split.copies();
    one_way_each_ = one_way_each;
    nested_ = nested;
  }
  [[nodiscard]] std::int64_t upto() const override {
    const auto next = next_.best();
    // Before the first item the split may not have begun its run.
    return nested_ && next != never && next != least ? giver_->outer(next) : next;
  }

  const merging how_;
  std::function<bool(const T&, const T&)> before_;
  std::vector<std::unique_ptr<thalweg::in<T>>> inputs_;
  std::vector<entry> all_;
  model::gates<T> feeds_;
  std::atomic<bool> waits_for_feed_{false};
  std::size_t turn_ = 0;
  model::tournament next_;
  std::vector<cursor> cursors_;  // of the inputs, while it runs
  model::rank_giver* giver_ = nullptr;
  bool copies_ = false;  // that is a tee
  bool nested_ = false;
  bool one_way_each_ = false;
};

}  // namespace THALWEG_NAMESPACE
