#pragma once

#include <thalweg/version.hpp>

#include <string>

namespace THALWEG_NAMESPACE::adaptation {

/// A name for a run that controllers see: another one for each run, also of programs that are started anew.
[[nodiscard]] std::string new_run_id();

}  // namespace THALWEG_NAMESPACE::adaptation
