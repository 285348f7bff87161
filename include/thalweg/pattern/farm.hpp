/// `farm`: a stage, or a pipeline of stages, replicated.
#pragma once

#include <thalweg/model/pipeline.hpp>
#include <thalweg/pattern/map.hpp>
#include <thalweg/pattern/sink.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace thalweg {
namespace model {

template <class Inner> struct farm_stage : stage_defaults {
  using inner_type = Inner;
  static constexpr bool is_sink = Inner::has_sink;
  static constexpr bool replicates = true;
  using wants = std::type_identity<void>;
  template <class In> static constexpr bool accepts = Inner::template accepts<In>;
  template <class In> using output = typename Inner::template output<In>;

  Inner inner;
  options opts;

  // Around several stages it is a scope of their paths; one stage, or scope, gets its name.
  void enter(naming& names) const {
    if constexpr (Inner::length > 1) {
      names.enter(opts.name);
    } else {
      names.suggest(opts.name);
    }
  }

  void leave(naming& names, std::span<stage_info> inside, int farm) const {
    if constexpr (Inner::length > 1) names.leave();
    auto& first = inside.front();
    if (opts.replicas != automatic && opts.replicas <= 0) {
      names.problem("the farm of '" + first.name + "': .replicas must be at least 1, not " +
                    std::to_string(opts.replicas));
    }
    // A farm of nothing but a farm: the numbers of replicas multiply.
    const bool only = first.farm >= 0 && std::all_of(inside.begin(), inside.end(), [&](const auto& info) {
                        return info.farm == first.farm;
                      });
    if (!only) refuse_inner_options(names, inside);
    for (auto& info : inside) {
      info.replicas = combined(opts.replicas, only ? info.replicas : automatic);
      info.farm = farm;
      info.unordered = opts.unordered || (only && info.unordered);
      if (info.opts.on_error.plain()) info.opts.on_error = opts.on_error;
      if (info.opts.pin.empty()) info.opts.pin = opts.pin;
      info.opts.blocking = info.opts.blocking || opts.blocking;
      if (opts.on != placement::anywhere) info.opts.on = opts.on;
    }
    // What concerns the items that come in concerns the first stage.
    if (first.opts.schedule.how() == schedule::kind::on_demand) first.opts.schedule = opts.schedule;
    if (opts.capacity != automatic) first.opts.capacity = opts.capacity;
  }

  // Among other stages an inner farm is replicated with them: what it says of its own replicas does nothing.
  void refuse_inner_options(naming& names, std::span<const stage_info> inside) const {
    int seen = -1;
    for (const auto& info : inside) {
      if (info.farm < 0 || std::exchange(seen, info.farm) == info.farm) continue;
      const auto bad = [&](const char* option) {
        names.problem("the farm of '" + info.name +
                      "' stands among other stages in a farm and is replicated with them, so " + option +
                      " does nothing: give it to the tw::farm around it");
      };
      if (info.replicas != automatic) bad(".replicas");
      if (info.unordered && !opts.unordered) bad(".unordered");
      if (info.opts.schedule.how() != schedule::kind::on_demand) bad(".schedule");
    }
  }

  static int combined(int outer, int inner) {
    if (outer == automatic) return inner;
    if (inner == automatic) return outer;
    return static_cast<int>(
        std::min<std::int64_t>(std::int64_t{outer} * inner, std::numeric_limits<int>::max()));
  }
};

template <class... Stages> auto farm_of(pipeline<Stages...> inner, options opts) {
  static_assert(!pipeline<Stages...>::has_source, "thalweg::farm: a source cannot be replicated in a farm");
  return make_pipeline(farm_stage<pipeline<Stages...>>{{}, std::move(inner), std::move(opts)});
}

}  // namespace model

/// Replicates a stage or a pipeline of stages: `farm(f)` for a callable `f(T) -> U`, `farm(filter(p))`,
/// `farm(map(f) | flat_map(g))`, `farm(sink(f))` for a replicated sink. Farms nest: in a farm of nothing but
/// a farm the numbers of replicas multiply; among other stages an inner farm is replicated with them, and has
/// no options of its own but those of its stages.
///
/// Order: deterministic, whatever the number of replicas; `.unordered = true` gives it up (label: multiset).
/// The operator is shared by the replicas and must be callable as const; `per_replica` makes one for each.
/// Without `.replicas` the policy decides how many work at once.
///
/// Threads: at most `.replicas` at once, each with one run of items; which replica gets which is up to
/// `.schedule`.
///
/// Errors: an operator that can only be called as non-const does not compile; zero or negative replicas are
/// an `invalid_job`.
///
/// ```cpp
/// std::vector<int> seen;
/// tw::run(tw::source(std::vector{1, 2, 3, 4}) |
///         tw::farm(tw::map([](int x) { return x + 1; }) | tw::filter([](int x) { return x % 2 == 1; }),
///         {.replicas = 4}) | tw::sink(seen));
/// assert((seen == std::vector{3, 5}));
/// ```
template <class F> auto farm(F what, options opts = {}) {
  if constexpr (model::any_typed_pipeline<F>) {
    return model::farm_of(std::move(what), std::move(opts));
  } else {
    return model::farm_of(thalweg::map(std::move(what)), std::move(opts));
  }
}

}  // namespace thalweg
