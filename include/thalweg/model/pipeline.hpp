/// `pipeline`: stages in a row, joined with `|`.
#pragma once

#include <thalweg/model/chain.hpp>
#include <thalweg/model/naming.hpp>
#include <thalweg/model/pack.hpp>
#include <thalweg/model/plan.hpp>
#include <thalweg/model/stage_traits.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

template <class... Stages> class pipeline;

namespace model {

struct pipeline_tag {};

template <class P>
concept any_typed_pipeline = std::derived_from<std::remove_cvref_t<P>, pipeline_tag>;

/// Whether the stages of a pipeline are known: an any_pipeline has forgotten them.
template <class P>
concept has_length = requires { P::length; };

/// Stands for the parameter type of a stage that takes anything (a generic lambda).
struct anything {};

template <class Stage> struct wanted : std::type_identity<anything> {};
template <class Stage>
  requires requires { typename Stage::wants::type; } && (!std::is_void_v<typename Stage::wants::type>)
struct wanted<Stage> : std::type_identity<std::remove_cvref_t<typename Stage::wants::type>> {};

// What is wrong is said in functions: Clang takes a class whose static_assert fails for one without members,
// and goes on to complain of that.

template <class T> constexpr bool can_be_sent() {
  static_assert(pipe::item<T>,
                "thalweg: these items cannot be moved, so no stage can send them: send a std::unique_ptr");
  return pipe::item<T>;
}

template <bool Fit> constexpr bool neighbours_fit() {
  static_assert(
      Fit,
      "thalweg: these neighbours do not fit: the stage cannot take what the stage before it produces; "
      "see connection<PRODUCED, ACCEPTED, STAGE> in this message for both types");
  return Fit;
}

/// Two neighbours. The compiler names both types when they do not fit: connection<what is produced, what is
/// accepted, ...>.
template <class Produced, class Accepted, class Stage, bool Fit> struct connection {
  using type = std::conditional_t<neighbours_fit<Fit>(), Produced, misfit>;
};
template <class Produced, class Accepted, class Stage> struct connection<Produced, Accepted, Stage, true> {
  using sent = typename Stage::template output<Produced>;
  using type = std::conditional_t<can_be_sent<sent>(), sent, misfit>;
};
template <class Produced, class Stage>
using connected =
    connection<Produced, typename wanted<Stage>::type, Stage, Stage::template accepts<Produced>>;

/// The output type of a line of stages for a given input type. Checks every connection on the way.
template <class In, class... Stages> struct flow_through : std::type_identity<In> {};
template <class... Stages> struct flow_through<misfit, Stages...> : std::type_identity<misfit> {};

// The same for a pipeline inside a stage: its connections are checked one by one, too.
template <class In, class Pipeline> struct flow_inside;
template <class In, class... Stages>
struct flow_inside<In, pipeline<Stages...>> : flow_through<In, Stages...> {};

template <class In, class Stage> struct flow_over : connected<In, Stage> {};
template <class In, class Stage>
  requires requires { typename Stage::inner_type; }
struct flow_over<In, Stage> : flow_inside<In, typename Stage::inner_type> {};

template <class In, class Stage, class... More>
  requires(!std::is_same_v<In, misfit>)
struct flow_through<In, Stage, More...> : flow_through<typename flow_over<In, Stage>::type, More...> {};

template <class In, class... Stages> inline constexpr bool accepted_by = !std::is_same_v<In, misfit>;
template <class In, class Stage, class... More>
inline constexpr bool accepted_by<In, Stage, More...> = [] {
  if constexpr (std::is_same_v<In, misfit>) {
    return false;
  } else if constexpr (Stage::template accepts<In>) {
    return accepted_by<typename Stage::template output<In>, More...>;
  } else {
    return false;
  }
}();

/// Whether the replicas of a farm can share the stage's operator.
template <class Stage, class In> constexpr bool can_be_shared() {
  constexpr bool callable = Stage::template accepts_shared<In>;
  static_assert(callable,
                "thalweg::farm: the replicas share this operator, but it cannot be called as const. Give "
                "each replica its own with tw::per_replica([...] { return the operator; }), or keep the "
                "stage serial");
  if constexpr (callable) {
    constexpr bool hooks = Stage::template hooks_shared<In>;
    static_assert(hooks,
                  "thalweg::farm: the replicas share this operator, so its hooks on_start and on_end must be "
                  "const. Give each replica its own with tw::per_replica([...] { return the operator; }), or "
                  "keep the stage serial");
    return hooks;
  } else {
    return false;
  }
}

/// Whether the farms of a line can share what they have to.
template <class In, bool InFarm> constexpr bool farms_share(const pipeline<>*) {
  return true;
}
template <class In, bool InFarm, class Stage, class... More>
constexpr bool farms_share(const pipeline<Stage, More...>*) {
  constexpr bool first = [] {
    if constexpr (requires { typename Stage::inner_type; }) {
      constexpr const typename Stage::inner_type* inside = nullptr;
      return farms_share < In, InFarm || Stage::replicates > (inside);
    } else if constexpr (InFarm && Stage::shares) {
      return can_be_shared<Stage, In>();
    } else {
      return true;
    }
  }();
  constexpr const pipeline<More...>* others = nullptr;
  if constexpr (first && sizeof...(More) > 0) {
    return farms_share<typename Stage::template output<In>, InFarm>(others);
  } else {
    return first;
  }
}

}  // namespace model

/// A line of stages: a value. Build it in a function, store it, use it inside others. Patterns make pipelines
/// of one stage, `|` joins them; a pipeline with a source and a sink is a job, which `run` and `launch` take.
///
/// ```cpp
/// auto normalise = tw::map([](int x) { return x % 10; }) | tw::filter([](int x) { return x > 0; });
/// std::vector<int> seen;
/// auto job = tw::source(std::vector{10, 21, 32}) | normalise | tw::sink(seen);
/// tw::run(job);
/// assert((seen == std::vector{1, 2}));
/// ```
template <class... Stages> class pipeline : public model::pipeline_tag {
 public:
  explicit pipeline(model::pack<Stages...>&& stages) : stages_(std::move(stages)) {}

  static constexpr std::size_t length = sizeof...(Stages);
  static constexpr bool has_source = model::pack_element<0, model::pack<Stages...>>::is_source;
  static constexpr bool has_sink = model::pack_element<length - 1, model::pack<Stages...>>::is_sink;
  /// Has a source and a sink: can be run.
  static constexpr bool is_job = has_source && has_sink;

  template <class In> static constexpr bool accepts = model::accepted_by<In, Stages...>;
  template <class In> using output = typename model::flow_through<In, Stages...>::type;

  [[nodiscard]] model::pack<Stages...>&& stages() && noexcept { return std::move(stages_); }

 private:
  model::pack<Stages...> stages_;
};

namespace model {

/// What a blueprint says of itself unless it says otherwise.
struct stage_defaults {
  static constexpr bool is_source = false;
  static constexpr bool is_sink = false;
};

/// Stands for a stage that cannot be made. The compiler has said why.
template <bool Source> struct unusable_stage : stage_defaults {
  static constexpr bool is_source = Source;
  template <class In> static constexpr bool accepts = true;
  template <class In> using output = misfit;
};

template <class Stage> pipeline<Stage> make_pipeline(Stage stage) {
  return pipeline<Stage>(pack<Stage>{{std::move(stage)}});
}

template <class... A, class... B> void check_join(const pipeline<A...>*, const pipeline<B...>*) {
  static_assert(!pipeline<A...>::has_sink, "thalweg: nothing can follow a sink");
  static_assert(!pipeline<B...>::has_source, "thalweg: a source can only come first");
  if constexpr (pipeline<A...>::has_source) {
    using joined = typename pipeline<A...>::template output<nothing>;
    static_assert(sizeof(flow_through<joined, B...>) != 0);
  }
}

// --- lowering: from nested blueprints to one chain of leaves ---

/// Everything that can be known of one leaf: added to `infos`.
template <class In, bool InFarm, class Stage>
void describe(Stage& stage, naming& names, std::vector<stage_info>& infos) {
  stage_info& info = add_stage(infos, names, Stage::pattern, *stage.opts);
  using out = typename Stage::template output<In>;
  if constexpr (!std::is_same_v<In, nothing>) {
    info.in = info.gives_up = &typeid(In);
    info.copyable = copyable<In>;
  }
  if constexpr (!std::is_same_v<out, nothing>) info.out = &typeid(out);
  if constexpr (requires { Stage::template ends<In>; }) info.ends = Stage::template ends<In>;
  if constexpr (requires { Stage::pushes; }) info.source.pushes = Stage::pushes;
  if constexpr (requires { Stage::eager; }) info.source.eager = Stage::eager;
  if constexpr (requires { Stage::paced; }) info.source.paced = Stage::paced;
  if constexpr (requires { Stage::groups; }) info.order.groups = Stage::groups;
  if constexpr (requires { stage.timed(); }) info.timed = stage.timed();
  if constexpr (requires { Stage::begins_first; }) info.begins_first = Stage::begins_first;
  if constexpr (!std::is_same_v<In, nothing>) info.state.per_replica = InFarm && !Stage::shares;
  if constexpr (requires { stage.template check<In>(info); }) {
    stage.template check<In>(info);
  } else {
    stage.check(info);
  }
}

template <class Stage> inline constexpr bool is_group = requires { typename Stage::inner_type; };

template <class In, int Farm, int Index> pack<> lower_from(naming&, std::vector<stage_info>&) {
  return {};
}
template <class In, int Farm, int Index, class Stage, class... More>
auto lower_from(naming& names, std::vector<stage_info>& infos, Stage&& stage, More&&... more);

/// Lowers one stage: to one leaf, or (farm, composite) to the leaves inside it. `Farm` is the farm around it,
/// or -1; `Index` the number of leaves before it, which is also what a farm is known by.
template <class In, int Farm, int Index, class Stage>
auto lower_stage(Stage&& stage, naming& names, std::vector<stage_info>& infos) {
  using stage_type = std::remove_cvref_t<Stage>;
  if constexpr (is_group<stage_type>) {
    constexpr int around = Farm >= 0 || !stage_type::replicates ? Farm : Index;
    stage.enter(names);
    auto leaves = model::unpack(std::move(stage.inner).stages(), [&](auto&&... inner) {
      return lower_from<In, around, Index>(names, infos, std::move(inner)...);
    });
    stage.leave(names, std::span(infos).subspan(Index), Index);
    return leaves;
  } else {
    describe<In, (Farm >= 0)>(stage, names, infos);
    return pack<leaf<stage_type, Farm>>{{{std::forward<Stage>(stage)}}};
  }
}

template <class In, int Farm, int Index, class Stage, class... More>
auto lower_from(naming& names, std::vector<stage_info>& infos, Stage&& stage, More&&... more) {
  using out = typename std::remove_cvref_t<Stage>::template output<In>;
  auto first = lower_stage<In, Farm, Index>(std::forward<Stage>(stage), names, infos);
  constexpr int next = Index + static_cast<int>(decltype(first)::size);
  return model::joined(std::move(first),
                       lower_from<out, Farm, next>(names, infos, std::forward<More>(more)...));
}

template <class In, class... Leaves>
std::unique_ptr<component> make_chain(std::vector<stage_info>&& infos, pack<Leaves...>&& leaves) {
  return std::unique_ptr<component>(new chain<In, Leaves...>(std::move(infos), std::move(leaves)));
}

template <class In, class... Stages> constexpr bool can_run() {
  if constexpr (std::is_same_v<typename flow_through<In, Stages...>::type, misfit>) {
    return false;
  } else {
    constexpr const pipeline<Stages...>* line = nullptr;
    return farms_share<In, false>(line);
  }
}

/// Lowers a typed pipeline to a component.
template <class In, class... Stages>
std::unique_ptr<component> lower(pipeline<Stages...>&& line, naming& names) {
  if constexpr (can_run<In, Stages...>()) {
    std::vector<stage_info> infos;
    auto leaves = model::unpack(std::move(line).stages(), [&](auto&&... stage) {
      return lower_from<In, -1, 0>(names, infos, std::move(stage)...);
    });
    return make_chain<In>(std::move(infos), std::move(leaves));
  } else {
    return nullptr;  // never runs: it has not compiled
  }
}

}  // namespace model

/// Joins two lines of stages. Neighbours whose types do not fit are a compile-time error that names both.
template <class... A, class... B> pipeline<A..., B...> operator|(pipeline<A...> left, pipeline<B...> right) {
  model::check_join(&left, &right);
  return pipeline<A..., B...>(model::joined(std::move(left).stages(), std::move(right).stages()));
}

/// A stage with ports cannot be joined as it is: a compile-time error that says how.
template <class... A, class S>
  requires model::stands_for_stage<S>
pipeline<A...> operator|(pipeline<A...> left, S&&) {
  static_assert(!model::stands_for_stage<S>,
                "thalweg: a tw::stage has ports: say which ones the line uses, as in "
                "line | tw::own_stage(&S::in, &S::out, factory)");
  return left;
}

}  // namespace THALWEG_NAMESPACE
