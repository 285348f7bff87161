#include <string>
#include <vector>

#include "apps/app_name/app_name.hpp"
#include "apps/app_name/inputs.hpp"
#include "apps/support/files.hpp"

namespace apps::app_name {

namespace {

/// Steps of Collatz sequences by another way than the operator's: a sequence is followed only until it comes
/// among numbers whose steps are known.
class table_of_steps {
 public:
  table_of_steps() : known_(std::size_t{1} << 20U) {
    for (std::uint64_t number = 2; number < known_.size(); ++number) known_[number] = of(number);
  }
  [[nodiscard]] std::uint32_t of(std::uint64_t number) const {
    const auto from = number;
    std::uint32_t steps = 0;
    while (number >= known_.size() || number >= from) {
      if (number <= 1) return steps;
      // An odd number is followed by an even one: two steps at once.
      const bool odd = (number & 1U) != 0;
      number = odd ? (3 * number + 1) >> 1U : number >> 1U;
      steps += odd ? 2 : 1;
    }
    return steps + known_[number];
  }

 private:
  std::vector<std::uint32_t> known_;
};

std::string line_of(std::uint64_t first, const table_of_steps& steps) {
  auto best = first;
  auto most = steps.of(first);
  for (auto number = first + 1; number < first + interval::size; ++number) {
    const auto these = steps.of(number);
    if (these <= most) continue;
    best = number;
    most = these;
  }
  return std::to_string(first) + " " + std::to_string(best) + " " + std::to_string(most) + "\n";
}

}  // namespace

verdict verify(std::string_view /*input*/, const std::filesystem::path& folder,
               const std::filesystem::path& output) {
  const table_of_steps steps;
  const auto written = read_file(output);
  auto rest = view(written);
  source intervals(folder / intervals_file);
  std::uint64_t lines = 0;
  while (const auto next = intervals()) {
    const auto due = line_of(next->first, steps);
    const auto line = "line " + std::to_string(++lines) + " of '" + output.string() + "'";
    if (rest.empty()) return {false, line + " is missing: " + due.substr(0, due.size() - 1)};
    if (!rest.starts_with(due)) return {false, line + " is not " + due.substr(0, due.size() - 1)};
    rest.remove_prefix(due.size());
  }
  if (!rest.empty())
    return {false, "'" + output.string() + "' has more than the " + std::to_string(lines) + " intervals"};
  return {true, std::to_string(lines) + " intervals"};
}

}  // namespace apps::app_name
