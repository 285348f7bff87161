#pragma once

#include <thalweg/version.hpp>

#include <chrono>
#include <optional>
#include <string_view>

namespace THALWEG_NAMESPACE::observe {

/// What `time_from` reads, for messages.
inline constexpr std::string_view a_time =
    "a whole number above 0 with a unit (us, ms, s, min), such as 100ms";

/// `100ms`, `100 ms`; nothing for text that is no time, or one that does not fit into nanoseconds.
[[nodiscard]] std::optional<std::chrono::nanoseconds> time_from(std::string_view text);

}  // namespace THALWEG_NAMESPACE::observe
