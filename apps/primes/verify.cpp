#include <string>
#include <string_view>
#include <vector>

#include "apps/primes/inputs.hpp"
#include "apps/support/files.hpp"

namespace apps::primes {
namespace {

/// The sieve of Eratosthenes: whether each number up to `last` is prime.
std::vector<bool> sieve(std::uint32_t last) {
  std::vector<bool> prime(std::size_t{last} + 1, true);
  prime[0] = false;
  prime[1] = false;
  for (std::uint64_t p = 2; p * p <= last; ++p)
    if (prime[p])
      for (auto multiple = p * p; multiple <= last; multiple += p) prime[multiple] = false;
  return prime;
}

}  // namespace

verdict verify(std::string_view /*input*/, const std::filesystem::path& folder,
               const std::filesystem::path& output) {
  const auto range = read_range(folder / range_file);
  const auto prime = sieve(range.last);
  const auto written = read_file(output);
  auto rest = view(written);
  std::uint64_t lines = 0;
  for (auto number = range.first; number <= range.last; ++number) {
    if (!prime[number]) continue;
    ++lines;
    const auto due = std::to_string(number) + "\n";
    if (!rest.starts_with(due)) {
      const auto line = "line " + std::to_string(lines) + " of '" + output.string() + "'";
      if (rest.empty()) return {false, line + " is missing: " + std::to_string(number)};
      return {false, line + " is not " + std::to_string(number)};
    }
    rest.remove_prefix(due.size());
  }
  if (!rest.empty())
    return {false, "'" + output.string() + "' has more than the " + std::to_string(lines) + " primes"};
  return {true, std::to_string(lines) + " primes, those of a sieve"};
}

}  // namespace apps::primes
