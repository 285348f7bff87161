#pragma once

#include <thalweg/run/run.hpp>

namespace THALWEG_NAMESPACE::run_detail {

/// These options, with what `monitor_next_run` has asked for, if this run is the one to have it.
[[nodiscard]] run_options with_monitor(const run_options& given);

}  // namespace THALWEG_NAMESPACE::run_detail
