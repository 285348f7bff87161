// On what the numbers were measured.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace micro {

/// Processor, cores, memory, kernel, governor, load, compiler and flags.
nlohmann::json describe_machine();

}  // namespace micro
