#pragma once

#include <thalweg/run/engine.hpp>
#include <thalweg/run/mpi.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "../graph/exchange.hpp"
#include "machine.hpp"

/// What `./thalweg plan` has a program do in place of a run; it says so by environment variables.
namespace THALWEG_NAMESPACE::run_detail::distributed {

/// THALWEG_PLAN: the file that the plan is written to; a job that is run then ends the program. Without
/// THALWEG_PLAN_RANKS and THALWEG_PLAN_HOSTS it is that for the ranks that were started.
struct plan_request {
  std::string file;
  std::optional<machine> for_machine;
};
/// \throws error  if what the variables say makes no sense
[[nodiscard]] std::optional<plan_request> requested_plan();

/// The plan as JSON: ranks, stages with their places, and what travels.
[[nodiscard]] std::string plan_as_json(const run_state& run, const mpi_options& how, const machine& on,
                                       dataflow::mapping places);

/// Of a job that cannot be run: what is wrong with it, in place of its plan.
[[nodiscard]] std::string problems_as_json(const error& why);

/// THALWEG_PROFILE, `2:file`: rank 0 runs the job by itself for two seconds and writes its report into the
/// file. False: it has not been asked for, and the job is left as it is.
/// \throws whatever the run ends with
[[nodiscard]] bool profiled(std::unique_ptr<run_state>& job, int rank);

/// Writes a file all at once.
void write_whole(const std::string& file, std::string_view text);

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
