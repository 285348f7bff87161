#pragma once

#include <thalweg/run/engine.hpp>
#include <thalweg/run/mpi.hpp>

#include <string>

/// Which of the options of a run over ranks cannot hold.
namespace THALWEG_NAMESPACE::run_detail::distributed {

/// \throws invalid_job  with all that is wrong with them whatever the ranks are
void require_valid(const mpi_options& how);

/// What can be known only with the ranks. \throws invalid_job
void require_possible(const mpi_options& how, int ranks);

/// Of a run; a plan may have both, as there costs also tell how fast it is. `costs_from`: who has said them.
/// \throws invalid_job
void require_one_way_to_place(const mpi_options& how, const std::string& costs_from);

/// Adds a note to the report where source and sink have to share a rank although they were to be `.apart`.
void note_if_not_apart(run_state& state, const mpi_options& how, int ranks);

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
