/// `farm`: a stage, or a pipeline of stages, replicated.
#pragma once

#include <thalweg/model/pipeline.hpp>
#include <thalweg/pattern/map.hpp>
#include <thalweg/pattern/sink.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE {
namespace model {

/// Around several stages a farm is a scope of their paths; one stage, or scope, gets its name.
void enter_farm(naming& names, const options& opts, std::size_t length);
/// Tells the stages inside that they are in a farm, which is known by the number `farm`.
void leave_farm(naming& names, const options& opts, std::size_t length, std::span<stage_info> inside,
                int farm);

template <class Inner> struct farm_stage : stage_defaults {
  using inner_type = Inner;
  static constexpr bool is_sink = Inner::has_sink;
  static constexpr bool replicates = true;
  using wants = std::type_identity<void>;
  template <class In> static constexpr bool accepts = Inner::template accepts<In>;
  template <class In> using output = typename Inner::template output<In>;

  Inner inner;
  kept_options opts;

  void enter(naming& names) const { enter_farm(names, *opts, Inner::length); }
  void leave(naming& names, std::span<stage_info> inside, int farm) const {
    leave_farm(names, *opts, Inner::length, inside, farm);
  }
};

template <class... Stages> auto farm_of(pipeline<Stages...> inner, options opts) {
  static_assert(!pipeline<Stages...>::has_source, "thalweg::farm: a source cannot be replicated in a farm");
  return make_pipeline(farm_stage<pipeline<Stages...>>{{}, std::move(inner), std::move(opts)});
}

}  // namespace model

/// Replicates a stage or a pipeline of stages: `farm(f)` for a callable `f(T) -> U`, `farm(filter(p))`,
/// `farm(map(f) | flat_map(g))`, `farm(sink(f))` for a replicated sink. Farms nest: in a farm that contains
/// only a farm the numbers of replicas multiply; among other stages an inner farm is replicated with them,
/// and has no options except those of its stages.
///
/// Order: deterministic, whatever the number of replicas; `.unordered = true` gives it up (label: multiset).
/// The operator is shared by the replicas and must be callable as const; `per_replica` makes one for each.
/// Without `.replicas` the policy decides how many work at once.
///
/// Threads: at most `.replicas` at once, each with one run of items; `.schedule` decides which replica gets
/// which.
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
  static_assert(!model::stands_for_stage<F>,
                "thalweg::farm: a tw::stage has ports: say which ones the farm uses, as in "
                "tw::farm(tw::own_stage(&S::in, &S::out, factory))");
  if constexpr (model::any_typed_pipeline<F> && !model::has_length<F>) {
    static_assert(
        model::has_length<F>,
        "thalweg::farm: an any_pipeline cannot be replicated, since its stages are not known here; farm "
        "the stages inside it");
  } else if constexpr (model::any_typed_pipeline<F>) {
    return model::farm_of(std::move(what), std::move(opts));
  } else {
    return model::farm_of(thalweg::map(std::move(what)), std::move(opts));
  }
}

}  // namespace THALWEG_NAMESPACE
