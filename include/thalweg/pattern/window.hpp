/// `window`: results for parts of a stream.
#pragma once

#include <thalweg/model/pipeline.hpp>
#include <thalweg/model/stage_traits.hpp>
#include <thalweg/pattern/keyed.hpp>
#include <thalweg/pattern/late.hpp>
#include <thalweg/pattern/window/aggregate.hpp>
#include <thalweg/pattern/window/event_clock.hpp>
#include <thalweg/pattern/window/spec.hpp>
#include <thalweg/pattern/window/top_k.hpp>
#include <thalweg/pattern/window/window_set.hpp>
#include <thalweg/pattern/window/windowed.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {
namespace model {

/// Windows by processing time.
struct arrival {};

template <class Spec>
inline constexpr bool by_time = std::is_same_v<Spec, time_windows> || std::is_same_v<Spec, session_windows>;
template <class Spec>
concept window_spec = by_time<Spec> || std::same_as<Spec, count_windows>;

template <class In, class Agg> using aggregator_for = aggregator<Agg, value_t<In>>;
template <bool Usable, class In, class Agg> struct window_output : std::type_identity<misfit> {};
template <class In, class Agg>
struct window_output<true, In, Agg>
    : std::type_identity<with_key<In, windowed<typename aggregator_for<In, Agg>::result>>> {};

/// The windows of all keys.
template <class In, class Spec, class Agg> struct window_state;
template <class In, class Agg> struct window_state<In, time_windows, Agg> {
  using by = aggregator_for<In, Agg>;
  using type = window_set<key_t<In>, grid_windows<by>, by>;
  static type make(const time_windows& w, Agg&& agg, std::int64_t lateness) {
    const auto size = w.size.count();
    const auto slide = w.slide.count();
    return {{size, slide, std::gcd(size, slide), lateness}, by{std::move(agg)}};
  }
};
template <class In, class Agg> struct window_state<In, session_windows, Agg> {
  using by = aggregator_for<In, Agg>;
  using type = window_set<key_t<In>, sessions<by>, by>;
  static type make(const session_windows& w, Agg&& agg, std::int64_t lateness) {
    return {{w.gap.count(), lateness}, by{std::move(agg)}};
  }
};
template <class In, class Agg> struct window_state<In, count_windows, Agg> {
  using by = aggregator_for<In, Agg>;
  using type = count_window_set<key_t<In>, by>;
  static type make(const count_windows& w, Agg&& agg) { return {w.size, w.slide, by{std::move(agg)}}; }
};

/// What the operators have in common: results are sent when the user's functions have returned, so that
/// following stages are neither timed nor blamed with them. A result has the due time of the last item before
/// it. The work on an item does not depend on the several kinds of frames: it is compiled once.
template <class Out, class Windows> struct window_base {
  using taker = typename Windows::taker;

  Windows windows;
  std::uint64_t seen = 0;
  std::int64_t due = 0;
  std::vector<Out> ready{};

  /// Calls `changes(collect)`, the user's code, and keeps the results that it gives to `collect`.
  template <class Frame, class F> void take(Frame& f, F&& changes) {
    due = f.ctx.due;
    ready.clear();
    const collector collect{ready};
    f.call([&] { changes(taker(collect)); });
  }
  template <class Next> void send(Next& next) {
    for (auto& r : ready) next(std::move(r));
    ready.clear();
  }
  // The place in the stream of the item in hand.
  std::uint64_t rank(const context& ctx) {
    return ctx.part != nullptr ? static_cast<std::uint64_t>(ctx.rank) : seen++;
  }

  // There may be very many: they are not collected.
  template <class Frame, class Next, class F> void pass_on(Frame& f, Next& next, F&& changes) {
    f.ctx.due = due;
    const auto pass = [&](auto& r) { next(joined_with_key(r.key, std::move(r.value))); };
    f.call([&] { changes(taker(pass)); });
  }

 private:
  struct collector {
    std::vector<Out>& ready;
    template <class R> void operator()(R& r) const {
      ready.push_back(joined_with_key(r.key, std::move(r.value)));
    }
  };
};

template <class Out, class Windows> struct count_window_op : window_base<Out, Windows> {
  using taker = typename Windows::taker;

  template <class Frame, class T, class Next> void step(Frame& f, T&& item, Next&& next) {
    this->take(f, [&](taker emit) { add(f.ctx, std::forward<T>(item), emit); });
    this->send(next);
  }

  template <class Frame, class Next> void finish(Frame& f, Next& next) {
    this->pass_on(f, next, [&](taker emit) {
      this->windows.finish([&](auto& r) {
        if (f.ctx.part != nullptr) f.ctx.rank = static_cast<std::int64_t>(r.rank);
        emit(r);
      });
    });
  }

 private:
  template <class T> void add(const context& ctx, T&& item, taker emit) {
    split_key(std::forward<T>(item), [&](auto&& key, auto&& value) {
      this->windows.add(std::forward<decltype(key)>(key), std::forward<decltype(value)>(value),
                        this->rank(ctx), emit);
    });
  }
};

/// Windows by time. If the keys are divided, both kinds do the same: the time of an item, and the progress of
/// time, are known for all keys at once.
template <class Out, class Windows> struct time_window_base : window_base<Out, Windows> {
  using taker = typename Windows::taker;
  static constexpr bool catches_up = true;

  template <class Frame, class Next> void finish(Frame& f, Next& next) {
    this->pass_on(f, next, [&](taker emit) {
      this->windows.finish([&](auto& r) {
        if (auto* const part = f.ctx.part) f.ctx.rank = part->put(pipe::end_rank, r.value.end, r.rank);
        emit(r);
      });
    });
  }

  template <class Frame, class Next> void catch_up(Frame& f, Next& next) {
    auto& part = *f.ctx.part;
    f.ctx.due = this->due;
    this->take(f, [&](taker emit) { come_to(part, part.moments.size(), emit); });
    send_placed(f, next);
  }

 protected:
  // An item of a part of the keys. Returns false, and leaves the item, if it comes too late.
  template <class Frame, class T, class Next> bool step_of_part(Frame& f, T&& item, Next& next) {
    bool in_time = false;
    this->take(f, [&](taker emit) { in_time = add_to_part(f.ctx, std::forward<T>(item), emit); });
    send_placed(f, next);
    return in_time;
  }
  // Any other item; its time is `time`.
  template <class T> bool add(T&& item, std::int64_t time, taker emit) {
    return split_key(std::forward<T>(item), [&](auto&& key, auto&& value) {
      return this->windows.add(std::forward<decltype(key)>(key), std::forward<decltype(value)>(value), time,
                               this->seen++, emit);
    });
  }

 private:
  template <class T> bool add_to_part(const context& ctx, T&& item, taker emit) {
    auto& part = *ctx.part;
    const auto rank = ctx.rank;
    come_to(part, static_cast<std::size_t>(rank - part.first) + 1, emit);
    if (part.at(rank).time == moment::too_late) return false;
    const auto placed = [&](auto& r) {
      (void)part.put(rank);
      emit(r);
    };
    return split_key(std::forward<T>(item), [&](auto&& key, auto&& value) {
      return this->windows.add(std::forward<decltype(key)>(key), std::forward<decltype(value)>(value),
                               part.at(rank).time, this->rank(ctx), placed);
    });
  }
  // Time has reached the last of the first `n` moments: results come after the item that moved it there.
  void come_to(key_part& part, std::size_t n, taker emit) {
    const auto now = part.moments[n - 1].watermark;
    while (this->windows.next() <= now) {
      const auto from = part.moments.begin() + static_cast<std::ptrdiff_t>(std::min(part.reached, n - 1));
      const auto to = part.moments.begin() + static_cast<std::ptrdiff_t>(n - 1);
      const auto at = std::lower_bound(from, to, this->windows.next(),
                                       [](const moment& m, std::int64_t t) { return m.watermark < t; });
      const auto rank = part.first + (at - part.moments.begin());
      this->windows.advance(at->watermark, [&](auto& r) {
        (void)part.put(rank, r.value.end, r.rank);
        emit(r);
      });
    }
    this->windows.advance(now, emit);
    part.reached = n;
  }
  template <class Frame, class Next> void send_placed(Frame& f, Next& next) {
    auto& part = *f.ctx.part;
    part.next = this->windows.next();
    auto number = part.places.size() - this->ready.size();
    for (auto& r : this->ready) {
      f.ctx.due = part.due(part.places[number].rank);
      f.ctx.rank = static_cast<std::int64_t>(number++);
      next(std::move(r));
    }
    this->ready.clear();
  }
};

template <class Out, class Windows> struct timed_window_op : time_window_base<Out, Windows> {
  using taker = typename Windows::taker;

  std::int64_t latest = std::numeric_limits<std::int64_t>::min();
  // Read by whichever thread waits for it.
  std::atomic<std::int64_t> when{never};

  explicit timed_window_op(Windows w) : time_window_base<Out, Windows>{{std::move(w)}} {}

  template <class Frame, class T, class Next> void step(Frame& f, T&& item, Next&& next) {
    if (f.ctx.part != nullptr) {
      this->step_of_part(f, std::forward<T>(item), next);
      return;
    }
    this->take(f, [&](taker emit) {
      const auto now = time(f.ctx);
      this->windows.advance(now, emit);
      this->add(std::forward<T>(item), now, emit);
    });
    note();
    this->send(next);
  }

  [[nodiscard]] std::int64_t deadline() const { return when.load(std::memory_order_relaxed); }

  template <class Frame, class Next> void on_time(Frame& f, Next& next) {
    const auto now = time(f.ctx);
    if (now < deadline()) return;
    this->pass_on(f, next, [&](taker emit) { this->windows.advance(now, emit); });
    note();
  }

 private:
  std::int64_t time(context& ctx) { return latest = std::max(latest, ctx.now()); }
  void note() {
    if (const auto next = this->windows.next(); next != when.load(std::memory_order_relaxed))
      when.store(next, std::memory_order_relaxed);
  }
};

template <class Out, class Windows, class Extract, class Spec>
struct event_window_op : time_window_base<Out, Windows> {
  using taker = typename Windows::taker;

  Extract extract;
  Spec spec;
  event_time_options* how;  // of the stage
  stream_clock clock{};
  // Read by whichever thread waits for it.
  std::atomic<std::int64_t> when{never};

  event_window_op(Windows w, Extract times, const Spec& windows_of, event_time_options* options)
      : time_window_base<Out, Windows>{{std::move(w)}},
        extract(std::move(times)),
        spec(windows_of),
        how(options) {}

  template <class Frame, class T, class Next> void step(Frame& f, T&& item, Next&& next) {
    if (auto* const part = f.ctx.part) {
      const auto rank = f.ctx.rank;
      if (this->step_of_part(f, std::forward<T>(item), next)) return;
      ++f.ctx.tallies[f.leaf].skipped;
      using items = pipe::chunk<std::remove_cvref_t<T>>;
      if (how->late) static_cast<items&>(*part->late).emplace_marked({0, rank}, std::forward<T>(item));
      return;
    }
    bool in_time = false;
    this->take(f, [&](taker emit) { in_time = take_in(f.ctx, std::forward<T>(item), emit); });
    if (!in_time) ++f.ctx.tallies[f.leaf].skipped;
    this->send(next);
  }

  [[nodiscard]] std::int64_t deadline() const { return when.load(std::memory_order_relaxed); }

  template <class Frame, class Next> void on_time(Frame& f, Next& next) {
    // Waiting items have come in time, although they have not been looked at.
    if (f.ctx.items_wait || f.ctx.now() < deadline()) return;
    end_windows(clock, spec);
    note();
    this->pass_on(f, next, [&](taker emit) { this->windows.advance(clock.watermark, emit); });
  }

 private:
  template <class T> bool take_in(const context& ctx, T&& item, taker emit) {
    const auto time = split_key(std::as_const(item), [&](const auto&, const auto& value) {
      return to_ns(std::invoke(extract, value));
    });
    const auto before = clock.watermark;
    const bool believed = come_to(clock, *how, time, hears_silence(*how) ? ctx.now() : 0);
    note();
    // Before the item is added: it is in none of the windows that end by it.
    if (clock.watermark > before) this->windows.advance(clock.watermark, emit);
    if (believed && this->add(std::forward<T>(item), time, emit)) return true;
    how->late(std::as_const(item));  // which has not been moved from
    return false;
  }
  void note() {
    if (clock.silent_at != when.load(std::memory_order_relaxed))
      when.store(clock.silent_at, std::memory_order_relaxed);
  }
};

// Whether a function gives the time of an item.
template <class Extract, class T> constexpr bool gives_time() {
  constexpr bool callable = std::invocable<Extract&, const T&>;
  static_assert(
      callable,
      "thalweg::event_time: the function must be callable with an item (after a tw::key_by with its "
      "value), as extract(const T&)");
  if constexpr (callable) {
    constexpr bool time = timestamp<std::remove_cvref_t<std::invoke_result_t<Extract&, const T&>>>;
    static_assert(
        time,
        "thalweg::event_time: the function must give a std::chrono duration or time point, or whole "
        "nanoseconds");
    return time;
  }
  return false;
}

template <class Spec, class Agg, class Times> struct window_stage : stage_defaults {
  static constexpr bool by_arrival = std::is_same_v<Times, arrival>;

  static constexpr auto pattern = "window";
  static constexpr bool one_to_one = false;
  static constexpr bool shares = false;
  using wants = std::type_identity<void>;
  template <class In> static constexpr bool accepts = pipe::item<In>;
  template <class In>
  static constexpr bool usable = [] {
    constexpr const Agg* of = nullptr;
    if constexpr (!can_aggregate<Agg, value_t<In>>(of)) {
      return false;
    } else if constexpr (by_arrival) {
      return true;
    } else {
      return gives_time<decltype(Times::extract), value_t<In>>();
    }
  }();
  template <class In> static constexpr bool ends = true;
  static constexpr bool sends_bursts = true;
  template <class In> using output = typename window_output<usable<In>, In, Agg>::type;

  Spec spec;
  Agg agg;
  Times times;
  kept_options opts;

  [[nodiscard]] bool timed() const {
    if constexpr (by_arrival) {
      return by_time<Spec>;
    } else {
      return hears_silence(times.options);
    }
  }

  // In a farm there is one for each part of the keys, if all its functions can be copied; one thread then
  // asks for the time of the items, while another copies the function that gives it.
  template <class In>
  static constexpr bool divisible = [] {
    if constexpr (!is_keyed<In> || !std::copy_constructible<Agg>) {
      return false;
    } else if constexpr (by_arrival) {
      return true;
    } else {
      using extract = decltype(Times::extract);
      return std::copy_constructible<extract> && std::invocable<const extract&, const value_t<In>&>;
    }
  }();

  template <class In> auto make() {
    using state = window_state<In, Spec, Agg>;
    using windows = typename state::type;
    using out = output<In>;
    const auto own = [](auto& function) {
      if constexpr (divisible<In>) {
        return std::as_const(function);
      } else {
        return std::move(function);
      }
    };
    if constexpr (!by_time<Spec>) {
      return count_window_op<out, windows>{{state::make(spec, own(agg))}};
    } else if constexpr (by_arrival) {
      return timed_window_op<out, windows>(state::make(spec, own(agg), 0));
    } else {
      return event_window_op<out, windows, decltype(Times::extract), Spec>(
          state::make(spec, own(agg), times.options.lateness.count()), own(times.extract), spec,
          &times.options);
    }
  }
  template <class K, class T> [[nodiscard]] std::uint64_t hash_of_key(const keyed<K, T>& item) const {
    return model::hash_of<K>(item.key);
  }
  template <class K, class T>
  [[nodiscard]] moment moment_of(const keyed<K, T>& item, std::int64_t now, stream_clock& clock) const
    requires(by_time<Spec> && divisible<keyed<K, T>>)
  {
    if constexpr (by_arrival) {
      return moment_without_items(now, clock);
    } else {
      const auto time = to_ns(std::invoke(times.extract, item.value));
      const bool believed = come_to(clock, times.options, time, now);
      return {believed ? time : moment::too_late, clock.watermark};
    }
  }
  [[nodiscard]] moment moment_without_items(std::int64_t now, stream_clock& clock) const {
    if constexpr (by_arrival) {
      clock.latest = clock.watermark = std::max(clock.latest, now);
    } else {
      end_windows(clock, spec);
    }
    return {clock.latest, clock.watermark};
  }
  template <class In>
  void give_late(const In& item)
    requires(!by_arrival)
  {
    times.options.late(item);
  }

  template <class In> void check(stage_info& info) {
    info.state.scope = !is_keyed<In>   ? state_scope::keyless
                       : divisible<In> ? state_scope::key
                                       : state_scope::stream;
    info.state.watermarked = by_time<Spec>;
    info.state.hears_silence = !by_arrival && timed();
    info.order.by_arrival = by_arrival && !spec.options.any_order;
    check_windows(spec, info);
    check_aggregate(agg, info);
    info.only_stops =
        "the results of windows are made of many items, so there is no single item to retry or give up";
    if constexpr (!std::is_same_v<Spec, session_windows>) {
      if (!aggregator_for<In, Agg>::joins_copies && spec.slide != spec.size)
        info.problems.emplace_back("its windows overlap, but what they hold cannot be copied");
    }
    if constexpr (!by_arrival) {
      if (spec.options.any_order)
        info.problems.emplace_back(".any_order does nothing for windows by event time");
      if (is_null_callable(times.extract))
        info.problems.emplace_back("the function that gives the time is null: there is nothing to call");
      check_times(times.options, info);
      times.options.late.template check<In>(info);
    }
  }
};

}  // namespace model

/// Gives a result for each window of the stream, `tw::windowed<R>`; on a keyed stream (`key_by`) for each
/// window of each key, `tw::keyed<K, tw::windowed<R>>`. Windows without items give nothing.
///
/// `spec` says which items belong together: `tw::tumbling(10s)`, `tw::sliding(10s, 1s)`, `tw::session(30s)`,
/// `tw::count(100)`, `tw::count(100, 10)`. `agg` is an aggregate, kept up to date as items come
/// (`tw::sum_of()`, `tw::aggregate(...)`), or a function of all items of a window, `f(std::span<const T>)`.
///
/// Windows by time use the time at which items come; their results are sent when time has passed, whether or
/// not another item comes (under the `sequential` policy: as soon as its one thread gets there). With
/// `tw::event_time(extract, {...})` they use the times of the items: a window's result is sent when the
/// watermark reaches its end. An item that comes after its window's result was sent, late by at most
/// `.lateness`, makes a corrected result, with the next `revision`; an even later one is given to `.late`,
/// and counted as `skipped` in the report; so is an item that is ahead of all others by more than
/// `.max_ahead`. With `.idle_after` results are also sent when nothing has come for that long. At the end of
/// the stream all open windows give their results; those by count may then be short.
///
/// Order: results come by the ends of their windows, those with the same end in the order of their first
/// items; corrections at once. Deterministic by count and by event time, except that with `.idle_after`
/// timing decides which items are late; by processing time it decides which items share a window. After an
/// `.unordered` farm, windows by count and by processing time need `.any_order = true`, as in `tw::count(100,
/// {.any_order = true})`.
///
/// Threads: serial, one item at a time. On a keyed stream it can be the first stage of a farm,
/// `tw::farm(tw::window(...), {.replicas = 4})`: the keys are divided, each part has copies of the functions,
/// and the results are the same, in the same order; `.late` gets late items one at a time, in order. One
/// thread asks for the times of the items, so the function that gives them must be callable as const. Windows
/// of a stream without keys, or with functions that cannot be copied, are an `invalid_job` in a farm. By
/// processing time, and with `.idle_after`, it has its own thread under `pool`, in a farm one for each
/// replica. Costs amortised O(1) combinations per item and slice of a window, and the clock's 20 ns per item
/// by processing time and with `.idle_after`. Keys without open windows take no memory, except by count.
///
/// Errors: what the functions throw ends the run; `.on_error` other than `tw::stop`, sizes that are not
/// positive, a slide beyond the size, and overlapping windows of items that cannot be copied are an
/// `invalid_job`. Event times must be within 146 years of the epoch: others end the run.
///
/// Event time, watermarks and lateness: Akidau et al., "The Dataflow Model", PVLDB 8(12), 2015. The
/// algorithms: window/slices.hpp.
///
/// ```cpp
/// struct reading { std::string sensor; std::chrono::seconds at; double value; };
/// std::vector<reading> readings{
///     {"a", 1s, 2.0}, {"b", 3s, 5.0}, {"a", 9s, 4.0}, {"a", 12s, 7.0}, {"b", 8s, 1.0}};
/// std::vector<tw::keyed<std::string, tw::windowed<double>>> seen;
/// const auto times = tw::event_time(&reading::at, {.disorder = 5s});
/// tw::run(tw::source(readings) | tw::key_by(&reading::sensor) |
///         tw::window(tw::tumbling(10s), tw::max_of(&reading::value), times) | tw::sink(seen));
/// assert(seen.size() == 3 && seen[0].key == "a" && seen[0].value.value == 4.0);  // [0s, 10s) of a
/// assert(seen[1].key == "b" && seen[1].value.value == 5.0);                      // [0s, 10s) of b
/// assert(seen[2].value.begin == 10'000'000'000 && seen[2].value.value == 7.0);   // [10s, 20s) of a
/// ```
template <model::window_spec Spec, class Agg> auto window(Spec spec, Agg agg, options opts = {}) {
  return model::make_pipeline(
      model::window_stage<Spec, Agg, model::arrival>{{}, spec, std::move(agg), {}, std::move(opts)});
}
template <model::window_spec Spec, class Agg, class Extract>
auto window(Spec spec, Agg agg, event_times<Extract> times, options opts = {}) {
  static_assert(model::by_time<Spec>, "thalweg::window: windows by count have no event time");
  return model::make_pipeline(model::window_stage<Spec, Agg, event_times<Extract>>{
      {}, spec, std::move(agg), std::move(times), std::move(opts)});
}

}  // namespace THALWEG_NAMESPACE
