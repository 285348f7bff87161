#include "time_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

namespace THALWEG_NAMESPACE::observe {

std::optional<std::chrono::nanoseconds> time_from(std::string_view text) {
  using std::chrono::nanoseconds;
  constexpr std::array<std::pair<std::string_view, nanoseconds>, 4> units{{
      {"us", std::chrono::microseconds(1)},
      {"ms", std::chrono::milliseconds(1)},
      {"s", std::chrono::seconds(1)},
      {"min", std::chrono::minutes(1)},
  }};
  const auto digits = std::min(text.size(), text.find_first_not_of("0123456789"));
  auto rest = text.substr(digits);
  rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" \t")));
  const auto* const unit =
      std::find_if(units.begin(), units.end(), [&](const auto& one) { return one.first == rest; });
  std::int64_t n = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + digits, n);
  if (failed != std::errc{} || n < 1 || unit == units.end() || n > nanoseconds::max() / unit->second)
    return std::nullopt;
  return n * unit->second;
}

}  // namespace THALWEG_NAMESPACE::observe
