/// Programs whose sources wait by schedules of their own: what is due, for the planners of a run that adapts
/// itself.
#pragma once

#include <thalweg/version.hpp>

#include <optional>

namespace THALWEG_NAMESPACE::flow {

/// Items a second that are due now at a source of this process that is not `paced`. Nothing: it follows no
/// schedule, or has not begun.
using due_rate_known = std::optional<double> (*)();

/// From now on runs of this process ask it, from any thread; null: no function.
void know_due_rate(due_rate_known says) noexcept;
/// What it says.
[[nodiscard]] std::optional<double> own_due_rate();

}  // namespace THALWEG_NAMESPACE::flow
