#include <thalweg/adapt/text.hpp>
#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "../observe/time_text.hpp"

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
    const auto limit = observe::time_from(parts[2]);
    if (!limit) refuse(observe::joined({"limit '", parts[2], "'"}), observe::a_time);
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

int whole_number_in(std::string_view key, std::string_view text) {
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
  const auto every = observe::time_from(text);
  if (!every) refuse(observe::joined({"every '", text, "'"}), observe::a_time);
  if (*every < shortest || *every > longest)
    refuse(observe::joined({"every '", text, "'"}), "from 1ms to 60min");
  a.every = *every;
}

void set_least(adapt& a, std::string_view text) {
  a.bounds.least_replicas = whole_number_in("least", text);
}

void set_most(adapt& a, std::string_view text) {
  a.bounds.most_replicas = whole_number_in("most", text);
}

void set_least_ranks(adapt& a, std::string_view text) {
  a.bounds.least_ranks = whole_number_in("least_ranks", text);
}

void set_most_ranks(adapt& a, std::string_view text) {
  a.bounds.most_ranks = whole_number_in("most_ranks", text);
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

constexpr std::array settings{setting{"planner", set_planner},
                              setting{"goal", set_goal},
                              setting{"every", set_every},
                              setting{"least", set_least},
                              setting{"most", set_most},
                              setting{"processors", set_processors},
                              setting{"least_ranks", set_least_ranks},
                              setting{"most_ranks", set_most_ranks}};

const setting& setting_of(std::string_view key, std::string_view word) {
  const auto* const found =
      std::find_if(settings.begin(), settings.end(), [&](const setting& s) { return s.key == key; });
  if (found != settings.end()) return *found;
  std::string known;
  for (const auto& s : settings) known.append(known.empty() ? "" : ", ").append(s.key).append("=...");
  refuse(observe::joined({"'", word, "'"}), observe::joined({"one of ", known}));
}

void check_order(std::string_view least_key, int least, std::string_view most_key, int most) {
  if (least > most)
    throw std::invalid_argument(observe::joined({"adaptation: ", least_key, "=", std::to_string(least),
                                                 " is above ", most_key, "=", std::to_string(most)}));
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
  const auto& b = made.bounds;
  check_order("least", b.least_replicas, "most", b.most_replicas);
  check_order("least_ranks", b.least_ranks, "most_ranks", b.most_ranks);
  return made;
}

}  // namespace
}  // namespace THALWEG_NAMESPACE::adapt_text

namespace THALWEG_NAMESPACE {

adapt adapt_from(std::string_view text) {
  return adapt_text::read(text);
}

}  // namespace THALWEG_NAMESPACE
