/// A controller outside the program, in any language, as the planner of a run.
#pragma once

#include <thalweg/adapt/planner.hpp>

#include <string_view>

namespace THALWEG_NAMESPACE {

/// A planner that shows each window to other programs, and does what one of them says: JSON, a line each
/// (docs/controllers.md).
///
/// The run listens at the address, from before it starts until it has been waited for: `unix:/path` is a
/// socket that only this user can connect to, `tcp:host:port` one for all who reach the host, so name
/// 127.0.0.1 if only this machine is meant. Controllers connect, leave and come back as they like. The first
/// one that asks for something decides until it leaves; all others watch. What is asked for between two
/// windows is done at the second.
///
/// No controller holds up the run: one that does not read misses windows, one that says too much waits, and
/// what is no valid document changes nothing.
///
/// Throws `thalweg::network_error` for what is no such address. A run throws it if it cannot listen there,
/// for example because another run does. Throws `thalweg::error` where the library was built without
/// nlohmann-json.
///
/// ```cpp
/// #include <thalweg/adapt/controlled_by.hpp>
/// auto planner = tw::controlled_by("unix:/tmp/thalweg-example.sock");
/// assert(planner.name() == "external");
/// auto plan = planner.begin();  // a run does this
/// assert(plan({}).none());      // no controller has come yet
/// ```
[[nodiscard]] adaptation::planner controlled_by(std::string_view address);

}  // namespace THALWEG_NAMESPACE
