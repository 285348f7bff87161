#pragma once

#include <thalweg/run/mpi.hpp>
#include <thalweg/run/policy.hpp>

namespace THALWEG_NAMESPACE::run_detail::distributed {

/// How many workers the stages of this rank get from `.local`, as its name says; `automatic`: nothing was
/// asked for, so they get the rank's share of the cores.
[[nodiscard]] int workers_asked_for(const mpi_options& how);
/// What executes the stages of this rank. `workers`: its share of the cores.
[[nodiscard]] any_policy local_policy(const mpi_options& how, int workers);

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
