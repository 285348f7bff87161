#pragma once

#include <thalweg/run/engine.hpp>
#include <thalweg/run/mpi.hpp>

#include <string>

#include "../graph/exchange.hpp"
#include "machine.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

/// Which ranks execute which stages: with `.grouping`, whatever they cost. `costs_from`: who has said so, for
/// what is wrong with it. \throws invalid_job  with all that is wrong with what was asked for
[[nodiscard]] dataflow::mapping map_stages(const run_state& run, const mpi_options& how, const machine& on,
                                           const std::string& costs_from = ".costs");

/// The same with all the ranks that farms may be given replicas on while the job runs: with none so far.
[[nodiscard]] dataflow::mapping with_reserves(const run_state& run, const mpi_options& how, const machine& on,
                                              dataflow::mapping places);

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
