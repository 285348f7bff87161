#include <thalweg/adapt/text.hpp>
#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE::adapt_text {

namespace {

using std::chrono::nanoseconds;

constexpr std::string_view spaces = " \t\r\n";
constexpr nanoseconds shortest = std::chrono::milliseconds(1);
constexpr nanoseconds longest = std::chrono::hours(1);

[[noreturn]] void refuse(std::string_view what, std::string_view possible) {
  throw std::invalid_argument(observe::joined({"adaptation: ", what, ": it must be ", possible}));
}

template <class Number> std::optional<Number> number_in(std::string_view text) {
  Number n{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return n;
}

constexpr std::string_view a_time = "a whole number above 0 with a unit (us, ms, s, min), such as 100ms";

std::optional<nanoseconds> time_in(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, nanoseconds>, 4> units{{
      {"us", std::chrono::microseconds(1)},
      {"ms", std::chrono::milliseconds(1)},
      {"s", std::chrono::seconds(1)},
      {"min", std::chrono::minutes(1)},
  }};
  const auto digits = std::min(text.size(), text.find_first_not_of("0123456789"));
  const auto n = number_in<std::int64_t>(text.substr(0, digits));
  const auto* const unit = std::find_if(units.begin(), units.end(),
                                        [&](const auto& one) { return one.first == text.substr(digits); });
  if (!n || *n < 1 || unit == units.end() || *n > nanoseconds::max() / unit->second) return std::nullopt;
  return *n * unit->second;
}

// The parts between colons.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto colon = text.find(':');
    parts.push_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return parts;
    text.remove_prefix(colon + 1);
  }
}

adaptation::goal goal_in(std::string_view text) {
  const auto parts = parts_of(text);
  if (text == "throughput") return throughput();
  if (text == "keep_up") return keep_up();
  if (parts[0] == "latency" && parts.size() == 3) {
    const auto quantile = number_in<double>(parts[1]);
    if (!quantile || !(*quantile > 0 && *quantile < 1))
      refuse(observe::joined({"quantile '", parts[1], "'"}), "above 0 and below 1, such as 0.99");
    const auto limit = time_in(parts[2]);
    if (!limit) refuse(observe::joined({"limit '", parts[2], "'"}), a_time);
    return latency(*quantile, *limit);
  }
  if (parts[0] == "utilisation" && parts.size() == 2) {
    const auto share = number_in<double>(parts[1]);
    if (!share || !(*share > 0 && *share <= 1))
      refuse(observe::joined({"share '", parts[1], "'"}), "above 0 and 1 at most, such as 0.8");
    return utilisation(*share);
  }
  refuse(observe::joined({"goal '", text, "'"}),
         "throughput, keep_up, latency:QUANTILE:TIME such as latency:0.99:20ms, or utilisation:SHARE such as "
         "utilisation:0.8");
}

int replicas_in(std::string_view key, std::string_view text) {
  const auto n = number_in<int>(text);
  if (!n || *n < 1)
    refuse(observe::joined({key, " '", text, "'"}),
           observe::joined({"a whole number from 1 to ", std::to_string(std::numeric_limits<int>::max())}));
  return *n;
}

void set_planner(adapt& a, std::string_view text) {
  try {
    a.planner = adaptation::planner(std::string(text));
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument(observe::joined({"adaptation: ", e.what()}));
  }
}

void set_goal(adapt& a, std::string_view text) {
  a.goal = goal_in(text);
}

void set_every(adapt& a, std::string_view text) {
  const auto every = time_in(text);
  if (!every) refuse(observe::joined({"every '", text, "'"}), a_time);
  if (*every < shortest || *every > longest)
    refuse(observe::joined({"every '", text, "'"}), "from 1ms to 60min");
  a.every = *every;
}

void set_least(adapt& a, std::string_view text) {
  a.bounds.least_replicas = replicas_in("least", text);
}

void set_most(adapt& a, std::string_view text) {
  a.bounds.most_replicas = replicas_in("most", text);
}

void set_processors(adapt& a, std::string_view text) {
  const auto n = number_in<double>(text);
  if (!n || !std::isfinite(*n) || *n <= 0)
    refuse(observe::joined({"processors '", text, "'"}), "a number above 0");
  a.bounds.most_processors = *n;
}

struct setting {
  std::string_view key;
  void (*set)(adapt&, std::string_view);
};

constexpr std::array settings{setting{"planner", set_planner}, setting{"goal", set_goal},
                              setting{"every", set_every},     setting{"least", set_least},
                              setting{"most", set_most},       setting{"processors", set_processors}};

const setting& setting_of(std::string_view key, std::string_view word) {
  const auto* const found =
      std::find_if(settings.begin(), settings.end(), [&](const setting& s) { return s.key == key; });
  if (found != settings.end()) return *found;
  std::string known;
  for (const auto& s : settings) known.append(known.empty() ? "" : ", ").append(s.key).append("=...");
  refuse(observe::joined({"'", word, "'"}), observe::joined({"one of ", known}));
}

adapt read(std::string_view text) {
  adapt made;
  std::vector<const setting*> given;
  for (auto at = text.find_first_not_of(spaces); at != std::string_view::npos;
       at = text.find_first_not_of(spaces, at)) {
    const auto end = std::min(text.size(), text.find_first_of(spaces, at));
    const auto word = text.substr(at, end - at);
    at = end;
    const auto equals = word.find('=');
    if (equals == std::string_view::npos) refuse(observe::joined({"'", word, "'"}), "KEY=VALUE");
    const auto& one = setting_of(word.substr(0, equals), word);
    if (std::find(given.begin(), given.end(), &one) != given.end())
      throw std::invalid_argument(observe::joined({"adaptation: ", one.key, " is given twice"}));
    given.push_back(&one);
    one.set(made, word.substr(equals + 1));
  }
  if (made.bounds.least_replicas > made.bounds.most_replicas)
    throw std::invalid_argument(
        observe::joined({"adaptation: least=", std::to_string(made.bounds.least_replicas),
                         " is above most=", std::to_string(made.bounds.most_replicas)}));
  return made;
}

}  // namespace
}  // namespace THALWEG_NAMESPACE::adapt_text

namespace THALWEG_NAMESPACE {

adapt adapt_from(std::string_view text) {
  return adapt_text::read(text);
}

}  // namespace THALWEG_NAMESPACE
