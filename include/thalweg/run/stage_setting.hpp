/// `stage_setting`: options of a stage that hold for one run.
#pragma once

#include <thalweg/flow/rate.hpp>
#include <thalweg/model/options.hpp>
#include <thalweg/observe/batch_limits.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace THALWEG_NAMESPACE {

/// Options of one stage that hold for a single run, in place of those in the job (`run_options::stages`).
/// What is not set stays as the job has it; of several settings of one option the last one holds.
///
/// A stage is named by its path, or by the last part of it if only one stage has that; a farm by any of its
/// stages, or by its own name. `run` throws `invalid_job` if there is no such stage, and for what the job
/// could not say either, such as `.replicas` of a serial stage.
///
/// ```cpp
/// auto job = tw::source(std::vector{1, 2, 3}) | tw::farm([](int x) { return x; }, {.name = "copy"}) |
///            tw::sink([](int) {});
/// tw::report r = tw::run(job, tw::threads{}, {.stages = {{.stage = "copy", .replicas = 3}}});
/// assert(r.stage("copy").replicas() == 3);
/// ```
struct stage_setting {
  std::string stage;
  /// As `options::replicas`: only of a farm. Of farms in a farm, all their replicas together.
  int replicas = automatic;
  /// As `options::capacity`.
  std::int64_t capacity = automatic;
  /// As `options::pin`.
  std::vector<int> pin = {};
  /// Only of a `paced` source: the rate at which it begins, in place of that of its `pace`. What happens to
  /// late items stays; a `pace` that is set while the run goes on holds from then on.
  std::optional<thalweg::rate> rate = {};
  /// Only of a `tw::batch`: the limits that it begins with, in place of those that it was made with, all of
  /// them. A `batching` that is set while the run goes on holds from then on.
  std::optional<batch_limits> batch = {};
  /// Where this was written, for messages, as in `run.conf:3`; may be empty.
  std::string from = {};
};

}  // namespace THALWEG_NAMESPACE
