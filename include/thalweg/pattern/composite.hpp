/// `composite`: a name for a line of stages.
#pragma once

#include <thalweg/model/pipeline.hpp>

#include <span>
#include <string>
#include <utility>

namespace THALWEG_NAMESPACE {
namespace model {

template <class Inner> struct named_line {
  using inner_type = Inner;
  static constexpr bool is_source = Inner::has_source;
  static constexpr bool is_sink = Inner::has_sink;
  static constexpr bool replicates = false;
  using wants = std::type_identity<void>;
  template <class In> static constexpr bool accepts = Inner::template accepts<In>;
  template <class In> using output = typename Inner::template output<In>;

  Inner inner;
  std::string name;

  void enter(naming& names) const {
    if (name.empty()) names.problem("a tw::composite has no name");
    names.enter(name);
  }
  void leave(naming& names, std::span<stage_info>, int) const { names.leave(); }
};

}  // namespace model

/// Gives a line of stages a name: its stages are called `name/...`. It costs nothing at run time, and changes
/// neither order nor threads.
///
/// Used twice in one place, the second one's stages are called `name#2/...`.
///
/// Errors: a name that is empty, contains '/' or is also the name of a stage beside it is an `invalid_job`.
///
/// ```cpp
/// auto compress = tw::map([](int x) { return x; }, {.name = "compress"});
/// auto archive = tw::composite("archive", compress | tw::filter([](int) { return true; }));
/// auto report = tw::run(tw::source(std::vector{1, 2}) | archive | tw::sink([](int) {}));
/// assert(report.stage("archive/compress").items_in() == 2);
/// ```
template <model::any_typed_pipeline Line> auto composite(std::string name, Line inner) {
  if constexpr (model::has_length<Line>) {
    return model::make_pipeline(model::named_line<Line>{std::move(inner), std::move(name)});
  } else {
    static_assert(
        model::has_length<Line>,
        "thalweg::composite: the stages of an any_pipeline are not known here; name the pipelines that it "
        "is made from");
  }
}

}  // namespace THALWEG_NAMESPACE
