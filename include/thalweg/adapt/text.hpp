/// How a run adapts itself, as text from outside.
#pragma once

#include <thalweg/adapt/adapt.hpp>

#include <string_view>

namespace THALWEG_NAMESPACE {

/// `adapt` from text: settings `key=value` with spaces between them, each at most once. What is not given is
/// as `adapt` has it by itself.
///
/// | key | value |
/// |---|---|
/// | `planner` | as `adaptation::planner` takes it: `mpr`, `ds2:warm_up=2`, `external:unix:/tmp/run.sock` |
/// | `goal` | `throughput`, `keep_up`, `latency:QUANTILE:TIME`, `utilisation:SHARE` |
/// | `every` | a time: the length of a window |
/// | `least`, `most` | whole numbers from 1: bounds of the replicas of each farm |
/// | `processors` | a number above 0: most that may be used at once, on average |
/// | `least_ranks`, `most_ranks` | whole numbers from 1: bounds of the ranks that execute stages |
///
/// A key ends at its first `=`, and a value at the next space. So a value may have `:` and `=` in it, but no
/// space. Times are whole numbers with a unit: `us`, `ms`, `s`, `min`.
///
/// Throws `std::invalid_argument`, which says what is wrong and what is possible.
///
/// ```cpp
/// #include <thalweg/adapt/text.hpp>
/// const auto how = tw::adapt_from("planner=mpr goal=latency:0.99:20ms every=250ms most=16");
/// assert(how.planner.name() == "mpr" && how.goal.limit == std::chrono::milliseconds(20));
/// assert(how.every == std::chrono::milliseconds(250) && how.bounds.most_replicas == 16);
/// ```
[[nodiscard]] adapt adapt_from(std::string_view text);

}  // namespace THALWEG_NAMESPACE
