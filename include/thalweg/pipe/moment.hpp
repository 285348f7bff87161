/// `later`: the moment that a span of time leads to.
#pragma once

#include <thalweg/version.hpp>

#include <cstdint>
#include <limits>

namespace THALWEG_NAMESPACE::pipe {

/// `now` + `span`, both in ns and neither negative. A sum that is too large is the last moment there is: a
/// user who gives the longest span means that it never comes.
constexpr std::int64_t later(std::int64_t now, std::int64_t span) noexcept {
  constexpr auto last = std::numeric_limits<std::int64_t>::max();
  return span < last - now ? now + span : last;
}

}  // namespace THALWEG_NAMESPACE::pipe
