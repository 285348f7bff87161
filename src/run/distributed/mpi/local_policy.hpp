#pragma once

#include <thalweg/run/mpi.hpp>
#include <thalweg/run/policy.hpp>

#include <memory>

namespace THALWEG_NAMESPACE::run_detail::distributed {

/// How many workers the stages of this rank get from `.local`, as it says; `automatic`: nothing was asked
/// for, so they get the rank's share of the cores.
[[nodiscard]] int workers_asked_for(const mpi_options& how);
/// What executes the stages of this rank. `workers`: its share of the cores.
[[nodiscard]] any_policy local_policy(const mpi_options& how, int workers);
/// The engine of one rank of several. \throws invalid_job  if that policy has another one than this
/// library's, which would execute all stages on each rank
[[nodiscard]] std::shared_ptr<engine> make_local(const any_policy& local, std::unique_ptr<run_state> state);

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
