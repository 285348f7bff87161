#pragma once

#include <thalweg/adapt/window.hpp>
#include <thalweg/observe/json.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE::adaptation {

/// A window as one line of JSON, for controllers (docs/controllers.md). `run` says which run it is of. What
/// the window does not know is left out.
[[nodiscard]] std::string window_json(const window& w, std::string_view run);

/// The limits of a batch as controllers write them: `{"count":64,"interval_ms":5}`. Those that do not hold
/// are left out.
void write_limits(observe::json_writer& json, const batch_limits& limits);
/// The member that says how much work a run of items may hold.
void write_run_length(observe::json_writer& json, std::chrono::nanoseconds work);

}  // namespace THALWEG_NAMESPACE::adaptation
