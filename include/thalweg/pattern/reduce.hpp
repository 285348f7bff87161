/// `reduce`: one result from all items.
#pragma once

#include <thalweg/model/pipeline.hpp>
#include <thalweg/model/stage_traits.hpp>
#include <thalweg/pattern/first_ranks.hpp>
#include <thalweg/pattern/kept_states.hpp>
#include <thalweg/pattern/keyed.hpp>
#include <thalweg/pattern/restoring.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE {
namespace model {

/// Whether `f` changes an accumulator of this type in place.
template <class F, class Acc, class T>
inline constexpr bool folds_in_place = [] {
  if constexpr (std::invocable<F&, Acc&, const T&>) {
    return std::is_void_v<std::invoke_result_t<F&, Acc&, const T&>>;
  } else {
    return false;
  }
}();

/// The accumulator: what `f` gives for `init`, so that the initial value 0 does not make a sum of doubles an
/// int.
template <class Init, class F, class T> struct accumulated : std::type_identity<Init> {};
template <class Init, class F, class T>
  requires(!folds_in_place<F, Init, T> && std::invocable<F&, Init, const T&>)
struct accumulated<Init, F, T>
    : std::type_identity<std::remove_cvref_t<std::invoke_result_t<F&, Init, const T&>>> {};

template <class Init, class F, class T>
inline constexpr bool folds = [] {
  if constexpr (folds_in_place<F, Init, T>) {
    return true;
  } else if constexpr (std::invocable<F&, Init, const T&>) {
    using acc = typename accumulated<Init, F, T>::type;
    return std::convertible_to<Init, acc> && std::is_invocable_r_v<acc, F&, acc, const T&>;
  } else {
    return false;
  }
}();

template <class In, class Init, class F> struct reduce_op {
  using key = key_t<In>;
  using value = value_t<In>;
  using acc = typename accumulated<Init, F, value>::type;
  using kept = with_key<In, acc>;

  Init init;
  F fn;
  key_table<key, acc> found{};
  first_ranks appeared{};

  void start()
    requires has_start_hook<F>
  {
    fn.on_start();
  }

  template <class Frame, class T, class Next> void step(Frame& f, T&& item, Next&&) {
    f.call([&] {
      split_key(item, [&](const key& k, const value& x) {
        const auto before = found.size();
        const auto [id, sum] = found.find_or_add(k, [&](const key&) {
          appeared.note(f.ctx, found.next());
          return acc(init);
        });
        const bool added = found.size() > before;
        try {
          restoring<Frame>(sum, [&] { add(sum, x); });
        } catch (...) {
          // A key whose first item was given up has not appeared.
          if (can_fail<Frame> && added) found.erase(id);
          throw;
        }
      });
    });
  }

  template <class Frame, class Next> void finish(Frame& f, Next& next) {
    if constexpr (std::is_same_v<key, no_key>) {
      if (found.size() == 0) return next(acc(init));
    }
    for (typename key_table<key, acc>::id i = 0; i < found.bound(); ++i) {
      if (!found.holds(i)) continue;
      appeared.recall(f.ctx, i);
      next(joined_with_key(found.key(i), std::move(found[i])));
    }
  }

  void take_states(pipe::chunk<kept>& into)
    requires(is_keyed<In> && std::copy_constructible<key>)
  {
    model::take_states(found, appeared, into, ids_of(found));
  }
  void put_states(pipe::chunk<kept>& from) { model::put_states(from, found, appeared); }

 private:
  void add(acc& sum, const value& x) {
    if constexpr (folds_in_place<F, acc, value>) {
      std::invoke(fn, sum, x);
    } else {
      sum = std::invoke(fn, std::move(sum), x);
    }
  }
};

template <class Init, class Fn> struct reduce_stage : stage_defaults {
  static constexpr auto pattern = "reduce";
  static constexpr bool one_to_one = false;
  static constexpr bool shares = false;
  using wants = second_argument_t<Fn>;
  template <class In> static constexpr bool accepts = folds<Init, Fn, value_t<In>>;
  template <class In> static constexpr bool ends = true;
  template <class In> using output = with_key<In, typename accumulated<Init, Fn, value_t<In>>::type>;
  template <class In> using kept = output<In>;

  Init init;
  Fn fn;
  kept_options opts;

  static constexpr bool copyable = std::copy_constructible<Init> && std::copy_constructible<Fn>;

  // In a farm there is one for each part of the keys.
  template <class In> auto make() {
    if constexpr (copyable) {
      return reduce_op<In, Init, Fn>{init, fn};
    } else {
      return reduce_op<In, Init, Fn>{std::move(init), std::move(fn)};
    }
  }
  template <class K, class T> [[nodiscard]] std::uint64_t hash_of_key(const keyed<K, T>& item) const {
    return model::hash_of<K>(item.key);
  }
  template <class In> void check(stage_info& info) {
    info.state.scope = !is_keyed<In> ? state_scope::keyless
                       : copyable    ? state_scope::key
                                     : state_scope::stream;
    check_function(fn, info);
    check_restorable<typename accumulated<Init, Fn, value_t<In>>::type>(info);
  }
};

}  // namespace model

/// Folds the stream and sends the one result at its end: `f(Acc, const T&) -> Acc`, or `f(Acc&, const T&)`
/// that changes the accumulator. It begins with `init`; its type is what `f` gives for that (so 0 can begin a
/// sum of doubles). An empty stream gives `init`. On a keyed stream (`key_by`) there is one result for each
/// key, `keyed<K, Acc>`, in the order in which the keys first appeared, and `f` sees the values.
///
/// Order: deterministic. Serial, one item at a time, in order. On a keyed stream it can be the first stage of
/// a farm, `tw::farm(tw::reduce(...), {.replicas = 4})`: the keys are divided, and the results are the same,
/// in the same order. Each part of the keys has copies of `init` and `f`, so the result of `f` must depend
/// only on its arguments. Without keys a farm of it is an `invalid_job`.
///
/// Errors: as for `map`. With an `.on_error` other than `tw::stop` the accumulator is copied before each call
/// and restored if that fails; one that cannot be copied is then an `invalid_job`.
///
/// ```cpp
/// std::vector<double> seen;
/// tw::run(tw::source(std::vector{1.5, 2.0}) | tw::reduce(0, std::plus<>{}) | tw::sink(seen));
/// assert(seen == std::vector{3.5});
/// ```
template <class Init, class F> auto reduce(Init init, F f, options opts = {}) {
  return model::make_pipeline(
      model::reduce_stage<Init, F>{{}, std::move(init), std::move(f), std::move(opts)});
}

}  // namespace THALWEG_NAMESPACE
