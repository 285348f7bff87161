#include <thalweg/flow/rate.hpp>
#include <thalweg/model/errors.hpp>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

namespace {

using swing = rate::swing;

constexpr std::pair<std::string_view, rate (*)(swing)> swings[] = {{"wave", rate::wave},
                                                                   {"binary", rate::binary},
                                                                   {"increasing", rate::increasing},
                                                                   {"decreasing", rate::decreasing}};
constexpr std::string_view poisson = "poisson";

[[noreturn]] void refuse(std::string_view text, const std::string& what) {
  throw error("rate: '" + std::string(text) + "' " + what);
}

// Nothing, if it is not one number and no more.
template <class Number> std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

double number_in(std::string_view text) {
  const auto value = number_of<double>(text);
  if (!value || !std::isfinite(*value)) refuse(text, "is not a number");
  return *value;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

// `poisson` or `poisson=<seed>`, which is taken off.
std::optional<std::uint64_t> seed_of(std::vector<std::string_view>& parts) {
  const auto last = parts.back();
  if (parts.size() < 2 || !last.starts_with(poisson)) return std::nullopt;
  parts.pop_back();
  const auto behind = last.substr(poisson.size());
  if (behind.empty()) return 1;
  const auto seed = behind.front() == '=' ? number_of<std::uint64_t>(behind.substr(1)) : std::nullopt;
  if (!seed) refuse(last, "is not poisson=<a whole number>");
  return seed;
}

rate steps_of(std::string_view text, const std::vector<double>& numbers) {
  if (numbers.empty() || numbers.size() % 2 != 0) refuse(text, "is not steps,seconds,rate,...");
  std::vector<rate::step> all;
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) all.push_back({numbers[i], numbers[i + 1]});
  return rate::steps(all);
}

rate swing_of(std::string_view text, std::string_view name, const std::vector<double>& numbers) {
  const auto check = [&](bool good) {
    if (!good) refuse(text, "is not pattern,period,least,greatest (for spike, percent may follow)");
  };
  const auto between = [&] { return swing{numbers[0], numbers[1], numbers[2]}; };
  if (name == "spike") {
    check(numbers.size() == 3 || numbers.size() == 4);
    return numbers.size() == 4 ? rate::spike(between(), numbers[3] / 100) : rate::spike(between());
  }
  for (const auto& [known, make] : swings) {
    if (known != name) continue;
    check(numbers.size() == 3);
    return make(between());
  }
  refuse(name,
         "is no pattern: write a number, or wave, binary, increasing, decreasing, spike, steps, bursts or "
         "trace with what belongs to it, as in wave,10,100,1000");
}

rate rate_of(std::string_view text, const std::vector<std::string_view>& parts) {
  const auto name = parts.front();
  if (name == "trace") {
    if (parts.size() < 2) refuse(text, "is not trace,<file>");
    const auto* const file = parts[1].data();  // whose name may have commas
    return rate::trace(std::string(file, parts.back().data() + parts.back().size()));
  }
  if (parts.size() == 1) {
    if (const auto value = number_of<double>(name)) return *value;
  }
  std::vector<double> numbers;
  for (std::size_t i = 1; i < parts.size(); ++i) numbers.push_back(number_in(parts[i]));
  if (name == "steps") return steps_of(text, numbers);
  if (name == "bursts") {
    if (numbers.size() != 3) refuse(text, "is not bursts,seconds on,seconds off,rate");
    return rate::bursts(numbers[0], numbers[1], numbers[2]);
  }
  return swing_of(text, name, numbers);
}

}  // namespace

rate rate_from(std::string_view text) {
  auto parts = split(text);
  const auto seed = seed_of(parts);
  auto made = rate_of(text, parts);
  return seed ? made.poisson(*seed) : made;
}

}  // namespace THALWEG_NAMESPACE
