/// `head`: the first items of a stream.
#pragma once

#include <thalweg/pattern/filter.hpp>
#include <thalweg/stages/building.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace THALWEG_NAMESPACE {

namespace stages {

struct first_ones {
  static constexpr auto pattern = "head";
  std::int64_t left;

  void check(model::stage_info& info) const {
    if (left < 0) info.problems.push_back("it cannot take " + std::to_string(left) + " items");
  }
  bool operator()(any_item) { return left > 0 && left-- > 0; }
};

}  // namespace stages

/// Passes the first `n` items and drops the rest. It does not end the source: a stage cannot, and the stages
/// before this one work on to the end of the stream. If that matters, let the source end itself, or call
/// `execution::stop()` from the sink.
///
/// Order: deterministic. It counts all items, so it is serial: in a farm it does not compile. Errors: a
/// negative `n` is an `invalid_job`.
///
/// ```cpp
/// #include <thalweg/stages.hpp>
/// std::vector<int> seen;
/// auto r = tw::run(tw::source(std::views::iota(0, 100), {.name = "all"}) | tw::head(2) | tw::sink(seen));
/// assert((seen == std::vector{0, 1}));
/// assert(r.stage("all").items_out() == 100);
/// ```
inline auto head(std::int64_t n, options opts = {}) {
  return stages::make<model::filter_stage>(stages::first_ones{n}, std::move(opts));
}

}  // namespace THALWEG_NAMESPACE
