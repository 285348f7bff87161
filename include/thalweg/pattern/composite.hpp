/// `composite`: a name for a line of stages.
#pragma once

#include <thalweg/model/pipeline.hpp>

#include <span>
#include <string>
#include <utility>

namespace thalweg {
namespace model {

template <class Inner> struct composite_stage {
  using inner_type = Inner;
  static constexpr bool is_source = Inner::has_source;
  static constexpr bool is_sink = Inner::has_sink;
  static constexpr bool replicates = false;
  using wants = std::type_identity<void>;
  template <class In> static constexpr bool accepts = Inner::template accepts<In>;
  template <class In> using output = typename Inner::template output<In>;

  Inner inner;
  std::string name;

  void enter(naming& names) const { names.enter(name); }
  void leave(naming& names, std::span<stage_info>, int) const { names.leave(); }
};

}  // namespace model

/// Gives a line of stages a name of its own: its stages are called `name/...`. It costs nothing at run time,
/// and changes neither order nor threads.
///
/// Errors: a name that is empty, contains '/' or stands twice in one place is an `invalid_job`.
///
/// ```cpp
/// auto compress = tw::map([](int x) { return x; }, {.name = "compress"});
/// auto archive = tw::composite("archive", compress | tw::filter([](int) { return true; }));
/// auto report = tw::run(tw::source(std::vector{1, 2}) | archive | tw::sink([](int) {}));
/// assert(report.stage("archive/compress").items_in() == 2);
/// ```
template <class... Stages> auto composite(std::string name, pipeline<Stages...> inner) {
  return model::make_pipeline(model::composite_stage<pipeline<Stages...>>{std::move(inner), std::move(name)});
}

}  // namespace thalweg
