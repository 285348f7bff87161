#include <thalweg/flow/rate.hpp>
#include <thalweg/model/errors.hpp>
#include <thalweg/observe/text.hpp>
#include <thalweg/run/settings.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <system_error>
#include <utility>

#include "../observe/time_text.hpp"

namespace THALWEG_NAMESPACE {

namespace {

using std::chrono::nanoseconds;

constexpr std::array<std::string_view, 10> keys{"policy", "replicas", "capacity", "pin",   "rate",
                                                "batch",  "progress", "monitor",  "every", "trace"};
constexpr const char* file_variable = "THALWEG_SETTINGS";
constexpr int most_processors = 4096;  // of a list, so that a slip of the pen fills no memory

[[noreturn]] void refuse_setting(const std::string& where, std::string_view what) {
  throw error(observe::joined({where, ": ", what}));
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view spaces = " \t\r";
  const auto first = text.find_first_not_of(spaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

// The parts between separators, each without spaces around it.
std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(at);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class Number> Number number_in(std::string_view text, Number least, const std::string& where) {
  Number n{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (failed != std::errc{} || end != text.data() + text.size() || n < least)
    refuse_setting(where, observe::joined({"'", text, "' must be a whole number from ", std::to_string(least),
                                           " to ", std::to_string(std::numeric_limits<Number>::max())}));
  return n;
}

// `0-3+6`
std::vector<int> processors_in(std::string_view text, const std::string& where) {
  std::vector<int> all;
  for (const auto part : split(text, '+')) {
    const auto to = part.find('-');
    const auto first = number_in<int>(trimmed(part.substr(0, to)), 0, where);
    const auto last =
        to == std::string_view::npos ? first : number_in<int>(trimmed(part.substr(to + 1)), first, where);
    if (last - first >= most_processors)
      refuse_setting(where, observe::joined({"'", part, "' are too many processors"}));
    for (int p = first; p <= last; ++p) all.push_back(p);
  }
  return all;
}

nanoseconds duration_in(std::string_view text, const std::string& where) {
  const auto time = observe::time_from(text);
  if (!time) refuse_setting(where, observe::joined({"'", text, "' must be ", observe::a_time}));
  return *time;
}

// `64`, `10ms`, `64+10ms`
batch_limits limits_in(std::string_view text, const std::string& where) {
  batch_limits limits;
  for (const auto part : split(text, '+')) {
    if (part.find_first_not_of("-0123456789") == std::string_view::npos) {
      limits.items = number_in<std::int64_t>(part, 1, where);
    } else {
      limits.interval = duration_in(part, where);
    }
  }
  return limits;
}

bool truth_in(std::string_view text, const std::string& where) {
  if (text == "yes" || text == "1") return true;
  if (text == "no" || text == "0") return false;
  refuse_setting(where, observe::joined({"'", text, "' must be yes or no"}));
}

bool is_of_stages(std::string_view key) {
  return key == "replicas" || key == "capacity" || key == "pin" || key == "rate" || key == "batch";
}

rate rate_in(std::string_view text, const std::string& where) {
  try {
    return rate_from(text);
  } catch (const error& e) {
    const bool several = text.find('=') != std::string_view::npos;
    refuse_setting(
        where, observe::joined({e.what(), several ? "; several stages are separated by semicolons" : ""}));
  }
}

// `stage=value, stage=value`. Rates have commas, and may have an equals sign: `stage=rate; stage=rate`.
template <class Set>
void take_stages(std::string_view key, std::string_view value, const std::string& where,
                 std::vector<stage_setting>& to, Set&& set) {
  const bool rates = key == "rate";
  for (const auto one : split(value, rates ? ';' : ',')) {
    const auto at = rates ? one.find('=') : one.rfind('=');
    const auto stage = trimmed(one.substr(0, at));
    const auto given = at == std::string_view::npos ? std::string_view() : trimmed(one.substr(at + 1));
    if (stage.empty() || given.empty())
      refuse_setting(where, observe::joined({"'", one, "' must be stage=value; several of ", key,
                                             " are separated by ", rates ? "semicolons" : "commas"}));
    stage_setting s;
    s.stage = stage;
    s.from = where;
    set(s, given);
    to.push_back(std::move(s));
  }
}

std::string known_keys() {
  std::string all;
  for (const auto key : keys) all.append(all.empty() ? "" : ", ").append(key);
  return all;
}

std::string variable_of(std::string_view key) {
  std::string name = "THALWEG_";
  for (const char c : key) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string_view variable(const char* name) {
  const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody changes it meanwhile
  return text == nullptr ? std::string_view() : trimmed(text);
}

// Without what follows a `#` at the begin or behind a space: elsewhere it belongs to a name.
std::string_view without_comment(std::string_view line) {
  for (auto at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  }
  return line;
}

}  // namespace

settings settings::from_environment() {
  settings s;
  if (const auto file = variable(file_variable); !file.empty()) s.read_file(file);
  for (const auto key : keys) {
    const auto name = variable_of(key);
    if (const auto value = variable(name.c_str()); !value.empty()) s.take(key, value, name);
  }
  return s;
}

settings settings::from_file(const std::filesystem::path& file) {
  settings s;
  s.read_file(file);
  return s;
}

void settings::read_file(const std::filesystem::path& file) {
  errno = 0;
  std::ifstream in(file);
  const auto fail = [&] {
    throw error("cannot read the settings '" + file.string() +
                "': " + std::generic_category().message(errno));
  };
  if (!in) fail();
  std::map<std::string, int, std::less<>> lines_of_keys;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const auto where = file.string() + ":" + std::to_string(number);
    const auto text = trimmed(without_comment(line));
    if (text.empty()) continue;
    const auto equals = text.find('=');
    const auto key = trimmed(text.substr(0, equals));
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      const std::vector<std::string> known(keys.begin(), keys.end());
      const auto close = observe::closest_name(key, known);
      refuse_setting(
          where, observe::joined({"unknown key '", key, "'", close.empty() ? "" : "; did you mean '", close,
                                  close.empty() ? "" : "'?", close.empty() ? "; the keys are: " : "",
                                  close.empty() ? known_keys() : ""}));
    }
    const auto value =
        equals == std::string_view::npos ? std::string_view() : trimmed(text.substr(equals + 1));
    if (value.empty())
      refuse_setting(where, observe::joined({"'", key, "' has no value: write ", key, " = ..."}));
    const auto [before, first] = lines_of_keys.emplace(key, number);
    if (!first && !is_of_stages(key))
      refuse_setting(where,
                     observe::joined({"'", key, "' is already in line ", std::to_string(before->second)}));
    take(key, value, where);
  }
  if (in.bad()) fail();
}

void settings::take(std::string_view key, std::string_view value, const std::string& where) {
  if (key == "policy") {
    try {
      policy_ = policy_from(value);
    } catch (const error& e) {
      refuse_setting(where, e.what());
    }
  } else if (key == "replicas") {
    take_stages(key, value, where, stages_,
                [&](auto& s, auto n) { s.replicas = number_in<int>(n, 1, where); });
  } else if (key == "capacity") {
    take_stages(key, value, where, stages_,
                [&](auto& s, auto n) { s.capacity = number_in<std::int64_t>(n, 1, where); });
  } else if (key == "pin") {
    take_stages(key, value, where, stages_, [&](auto& s, auto list) { s.pin = processors_in(list, where); });
  } else if (key == "rate") {
    take_stages(key, value, where, stages_, [&](auto& s, auto text) { s.rate = rate_in(text, where); });
  } else if (key == "batch") {
    take_stages(key, value, where, stages_, [&](auto& s, auto text) { s.batch = limits_in(text, where); });
  } else if (key == "progress") {
    progress_ = truth_in(value, where);
  } else if (key == "monitor") {
    monitor_ = value;
  } else if (key == "every") {
    every_ = duration_in(value, where);
  } else {
    trace_ = value;
  }
}

any_policy settings::policy(const any_policy& by_default) const {
  return policy_.value_or(by_default);
}

run_options settings::options(run_options by_default) const {
  auto o = std::move(by_default);
  if (progress_) o.progress = *progress_;
  if (monitor_) o.monitor = *monitor_;
  if (trace_) o.trace = *trace_;
  if (every_) o.every = *every_;
  o.stages.insert(o.stages.end(), stages_.begin(), stages_.end());
  return o;
}

}  // namespace THALWEG_NAMESPACE
