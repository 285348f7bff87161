/// `source`: where a stream begins.
#pragma once

#include <thalweg/model/pipeline.hpp>
#include <thalweg/model/ranges.hpp>
#include <thalweg/model/stage_traits.hpp>
#include <thalweg/pattern/flat_map.hpp>

#include <concepts>
#include <iterator>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE {
namespace model {

template <class O>
concept optional_like = requires(O o) {
  typename O::value_type;
  static_cast<bool>(o);
  *std::move(o);
};

template <class F>
concept pulls = (std::invocable<F&> && optional_like<std::remove_cvref_t<std::invoke_result_t<F&>>>) ||
                (std::invocable<F&, std::stop_token> &&
                 optional_like<std::remove_cvref_t<std::invoke_result_t<F&, std::stop_token>>>);

template <class F> auto pull_one(F& f, const context& ctx) {
  if constexpr (std::invocable<F&>) {
    return std::invoke(f);
  } else {
    return std::invoke(f, ctx.source_stop);
  }
}

// A callable that gives the next item, or nothing at the end.
template <class, class F>
struct pull_op
    : hooked<F, typename decltype(pull_one(std::declval<F&>(), std::declval<const context&>()))::value_type> {
  template <class Frame, class Next> THALWEG_INLINE bool step(Frame& f, Next&& next) {
    auto item = f.call([&] { return pull_one(this->fn, f.ctx); });
    if (!item) return false;
    next(*std::move(item));
    return true;
  }
};

template <class Fn> struct pull_stage : stage_defaults, function_stage<pull_op, Fn> {
  static constexpr bool is_source = true;
  static constexpr auto pattern = "source";
  static constexpr bool one_to_one = true;
  template <class In> static constexpr bool accepts = std::is_same_v<In, nothing>;
  template <class In> static constexpr bool accepts_shared = false;
  template <class In>
  using output =
      typename decltype(pull_one(std::declval<called_t<Fn>&>(), std::declval<const context&>()))::value_type;
};

template <class F, class T>
inline constexpr bool emits = [] {
  if constexpr (std::is_void_v<T>) {
    return false;
  } else {
    return std::is_invocable_v<F&, emitter<T>&>;
  }
}();

template <class T> struct emitting {
  // A callable that emits all items in one call.
  template <class, class F> struct op : hooked<F, T> {
    template <class Frame, class Next> void emit(Frame& f, Next&& next) {
      pipe::chunk<T> sent;
      f.template emit<true>(
          sent, 1, [&](emitter<T>& out) { std::invoke(this->fn, out); }, next);
    }
  };

  template <class Fn> struct stage : stage_defaults, function_stage<op, Fn> {
    static constexpr bool is_source = true;
    static constexpr bool pushes = true;
    static constexpr auto pattern = "source";
    static constexpr bool one_to_one = true;
    template <class In> static constexpr bool accepts = std::is_same_v<In, nothing>;
    template <class In> static constexpr bool accepts_shared = false;
    template <class In> using output = T;
  };
};

// The items of a range. Items of the caller's range are copied; those of a range that the job owns alone are
// moved.
template <class Range, bool Owned> struct range_op {
  std::shared_ptr<Range> keep;
  Range* range;
  bool consume;
  struct place {
    std::ranges::iterator_t<Range> here;
    std::ranges::sentinel_t<Range> end;
  };
  std::optional<place> at{};  // a range is begun when the run gets there
  bool reading = false;       // or going on to the next

  template <class Frame, class Next> THALWEG_INLINE bool step(Frame& f, Next&& next) {
    using value = std::ranges::range_value_t<Range>;
    reading = false;
    if (!at) [[unlikely]]
      begin(f);
    auto& [here, end] = *at;
    if (f.call([&]() -> bool { return here == end; })) return false;
    reading = true;
    if constexpr (Owned && !copyable<value>) {
      next(f.call([&]() -> value { return std::ranges::iter_move(here); }));
    } else if (Owned && consume) {
      next(f.call([&]() -> value { return std::ranges::iter_move(here); }));
    } else {
      next(f.call([&]() -> value { return *here; }));
    }
    f.call([&] { ++here; });
    return true;
  }

  // The item that `step` failed at is skipped. If this fails too, it is the range, not an item.
  template <class Frame> void give_up(Frame& f) {
    if (!at) {
      begin(f);
    } else if (reading) {
      f.call([&] { ++at->here; });
    } else {
      f.call([&] { (void)static_cast<bool>(at->here == at->end); });
    }
  }

 private:
  template <class Frame> void begin(Frame& f) {
    f.call([&] { at.emplace(place{std::ranges::begin(*range), std::ranges::end(*range)}); });
  }
};

// May the job be run more than once? Then the range has to survive the run.
template <class Range>
inline constexpr bool repeatable =
    std::ranges::forward_range<Range> && copyable<std::ranges::range_value_t<Range>>;

template <bool Copyable> struct copy_gate {};
template <> struct copy_gate<false> {
  copy_gate() = default;
  copy_gate(copy_gate&&) = default;
  copy_gate& operator=(copy_gate&&) = default;
};

template <class Range, bool Owned>
struct range_stage : stage_defaults, copy_gate<!Owned || repeatable<Range>> {
  static constexpr bool is_source = true;
  static constexpr bool eager = std::ranges::contiguous_range<Range>;
  static constexpr auto pattern = "source";
  static constexpr bool one_to_one = true;
  static constexpr bool shares = false;
  template <class In> static constexpr bool accepts = std::is_same_v<In, nothing>;
  template <class In> static constexpr bool accepts_shared = false;
  template <class In> using output = std::ranges::range_value_t<Range>;

  range_stage(std::shared_ptr<Range> own, Range* r, options o)
      : keep(std::move(own)), range(r), opts(std::move(o)) {}

  std::shared_ptr<Range> keep;
  Range* range;
  kept_options opts;

  template <class In> auto make() {
    const bool only = keep.use_count() == 1;
    return range_op<Range, Owned>{std::move(keep), range, only};
  }
  void check(stage_info&) const {}
};

}  // namespace model

/// Begins a stream. `f` gives the next item, or an empty optional at the end: `source(f)` with `f() ->
/// std::optional<T>`, or `f(std::stop_token)` to learn that the run is to end while it waits for something
/// outside. Or it emits all items in one call: `source(f)` with `f(tw::emitter<T>&)`; for a generic lambda
/// write `source<T>(f)`. Or it is a range: one given by reference is read in place (it must outlive the run),
/// one moved in belongs to the job.
///
/// Order: deterministic. A source is serial: `f` is called from one thread at a time and may have state and
/// hooks. A source that waits in `f` does not delay the items it gave before, as long as another worker is
/// idle (a `pool` of one worker has no other: there the rest of a run of items waits with it). When the run
/// is cancelled, `f`'s own call must return before the run can end.
///
/// Errors: a null callable, or a `validate()` that throws, is an `invalid_job`; what `f` throws ends the run,
/// unless `.on_error` says otherwise.
///
/// ```cpp
/// int n = 0, sum = 0;
/// auto add = tw::sink([&](int x) { sum += x; });
/// auto pulled = tw::source([&]() -> std::optional<int> {
///   if (n == 3) return std::nullopt;
///   return ++n;
/// });
/// auto emitted = tw::source([](tw::emitter<int>& out) {
///   for (int i = 1; i <= 3; ++i) out(i);
/// });
/// tw::run(pulled | add);
/// tw::run(tw::source(std::vector{1, 2, 3}) | add);
/// tw::run(emitted | add);
/// assert(sum == 18);
/// ```
template <class T = void, class F> auto source(F&& f, options opts = {}) {
  using bare = model::kept_t<F>;
  using seen = typename model::emitted<typename model::first_argument_t<model::called_t<bare>>::type>::type;
  using sent = std::conditional_t<std::is_void_v<T>, seen, T>;
  if constexpr (model::pulls<model::called_t<bare>>) {
    return model::make_pipeline(model::pull_stage<bare>{{}, {std::forward<F>(f), std::move(opts)}});
  } else if constexpr (std::ranges::input_range<std::remove_reference_t<F>>) {
    using range = std::remove_reference_t<F>;
    if constexpr (std::is_lvalue_reference_v<F>) {
      constexpr bool readable = model::copyable<std::ranges::range_value_t<range>> ||
                                !std::is_lvalue_reference_v<std::ranges::range_reference_t<range>>;
      static_assert(
          readable,
          "thalweg::source: the items of a range given by reference are copied, but these cannot be; "
          "move the range in with tw::source(std::move(range))");
      if constexpr (readable) {
        return model::make_pipeline(model::range_stage<range, false>({}, std::addressof(f), std::move(opts)));
      } else {
        return model::make_pipeline(model::unusable_stage<true>{});
      }
    } else {
      auto own = std::make_shared<bare>(std::forward<F>(f));
      auto* where = own.get();
      return model::make_pipeline(model::range_stage<bare, true>(std::move(own), where, std::move(opts)));
    }
  } else if constexpr (model::emits<model::called_t<bare>, sent>) {
    return model::make_pipeline(
        typename model::emitting<sent>::template stage<bare>{{}, {std::forward<F>(f), std::move(opts)}});
  } else {
    static_assert(
        !std::invocable<model::called_t<bare>&>,
        "thalweg::source: the callable gives a plain value, so the stream would have no end: return "
        "std::optional<T>, empty at the end");
    static_assert(
        std::invocable<model::called_t<bare>&>,
        "thalweg::source: give a callable () -> std::optional<T>, a range, or a callable (tw::emitter<T>&); "
        "for a generic lambda name the item type: source<T>(f)");
    return model::make_pipeline(model::unusable_stage<true>{});
  }
}

}  // namespace THALWEG_NAMESPACE
