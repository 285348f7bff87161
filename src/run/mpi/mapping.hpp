#pragma once

#include <thalweg/run/engine.hpp>
#include <thalweg/run/mpi.hpp>

#include "../network/exchange.hpp"

namespace thalweg::run_detail::across {

/// Which ranks execute which stages. \throws invalid_job  with all that is wrong with what was asked for
/// \param workers  how many threads a rank has for stages
[[nodiscard]] network::mapping map_stages(const run_state& run, const mpi_options& how, int ranks,
                                          int workers);

}  // namespace thalweg::run_detail::across
