#include "spb/detail/options.hpp"

#include <thalweg/observe/text.hpp>

#include <charconv>
#include <climits>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "spb/detail/spellings.hpp"

namespace spb::detail {
namespace {

struct option {
  std::string_view name;
  std::string_view value;  // what it wants; empty: nothing
  std::string_view says;   // % stands for the application's output
  void (*take)(options& into, const std::string& value);
};

template <class T> T number(const std::string& text, T least, T most) {
  T value{};
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool fits = value >= least && value <= most;  // which NaN does not
  if (wrong != std::errc() || end != text.data() + text.size() || !fits) {
    if constexpr (std::is_floating_point_v<T>)
      throw std::invalid_argument("'" + text + "' is not a number from " +
                                  thalweg::observe::number_text(least) + " to " +
                                  thalweg::observe::number_text(most));
    else
      throw std::invalid_argument("'" + text + "' is not a whole number from " + std::to_string(least) +
                                  " to " + std::to_string(most));
  }
  return value;
}

when_late late_policy(const std::string& text) {
  constexpr std::pair<std::string_view, when_late> all[] = {
      {"catch-up", when_late::catch_up}, {"skip", when_late::skip}, {"closed-loop", when_late::closed_loop}};
  for (const auto& [name, policy] : all)
    if (name == text) return policy;
  throw std::invalid_argument("'" + text + "' is none of catch-up, skip and closed-loop");
}

constexpr double longest = 1e9;
constexpr int most_threads = 4'096;  // as many as every interface can be asked for

constexpr option known[] = {
    {"input", "class or file",
     "what the stream is made of (again: that of the next source object); also a name that ./thalweg "
     "new-input has given, or where it is played: "
     "tcp://host:port[/class], kafka://broker/topic[/class]",
     [](options& o, const std::string& v) {
       o.inputs.push_back(v);
       o.input = o.inputs.front();
     }},
    {"feed", "address",
     "play the input to a program that takes it from there, tcp://host:port (the tcp:// may "
     "be left out) or kafka://broker/topic; no more than that",
     [](options& o, const std::string& v) { o.feed = v; }},
    {"output", "path",
     "where % goes; tcp://host:port and kafka://broker/topic: to another process; without it, it is removed "
     "at the end",
     [](options& o, const std::string& v) { o.output = v; }},
    {"nthreads", "n", "threads or replicas (1)",
     [](options& o, const std::string& v) { o.nthreads = number(v, 1, most_threads); }},
    {"batch-size", "n", "elements of an item (1)",
     [](options& o, const std::string& v) { o.batch_size = number<std::uint64_t>(v, 1, INT_MAX); }},
    {"batch-bytes", "n", "close an item with the element with which it has so many bytes",
     [](options& o, const std::string& v) { o.batch_bytes = number<std::uint64_t>(v, 1, LONG_MAX); }},
    {"batch-interval", "seconds", "close an item so long after its first element",
     [](options& o, const std::string& v) { o.batch_interval = number(v, 0.0, longest); }},
    {"frequency", "n", "elements a second at the source",
     [](options& o, const std::string& v) { o.frequency = make_constant(number(v, 0.0, 1e12)); }},
    {"freq-patt", "pattern,period,min,max",
     "a frequency that changes: wave, binary, increasing, decreasing, spike[,percent]; or bursts,on,off,n; "
     "steps,seconds,n,...; trace,<file>; each may end in ,poisson[=seed]",
     [](options& o, const std::string& v) { o.frequency = parse_pattern(v); }},
    {"when-late", "policy",
     "what becomes of elements that are due while the stream is busy: catch-up, skip, or closed-loop",
     [](options& o, const std::string& v) { o.late = late_policy(v); }},
    {"in-memory", "", "read all input before the stream begins",
     [](options& o, const std::string&) { o.in_memory = true; }},
    {"latency", "", "show latencies from end to end and of each operator",
     [](options& o, const std::string&) { o.latency = true; }},
    {"latency-file", "file", "also write the latency of each item, as CSV",
     [](options& o, const std::string& v) {
       o.latency = true;
       o.latency_file = v;
     }},
    {"latency-monitor", "", "as -latency-file <program>_latency.csv",
     [](options& o, const std::string&) {
       o.latency = true;
       o.latency_file = o.program + "_latency.csv";
     }},
    {"throughput", "", "show elements a second", [](options& o, const std::string&) { o.throughput = true; }},
    {"memory-usage", "", "show memory, processor time, switches, page faults, energy",
     [](options& o, const std::string&) { o.memory_usage = true; }},
    {"monitor", "ms", "sample throughput, latency, batches, processors and memory so often",
     [](options& o, const std::string& v) { o.monitor_ms = number(v, 1, 3'600'000); }},
    {"user-arg", "text", "an argument for the program itself; may be given again",
     [](options& o, const std::string& v) { o.user_args.push_back(v); }},
    {"verify", "", "check the output; exit code 1 if it is wrong",
     [](options& o, const std::string&) { o.verify = true; }},
    {"json", "file", "also write what was measured as JSON",
     [](options& o, const std::string& v) { o.json = v; }},
    {"quiet", "", "show no progress on the terminal", [](options& o, const std::string&) { o.quiet = true; }},
    {"help", "", "show this and stop", [](options& o, const std::string&) { o.help = true; }},
};

// An option as it was given, with the value that stands in the same word.
struct given_option {
  const option* meant;
  std::optional<std::string> value;
};

const option* find_option(std::string_view name) {
  if (const auto ours = name_of_other(name); !ours.empty()) name = ours;
  for (const auto& one : known)
    if (one.name == name) return &one;
  return nullptr;
}

std::string_view closest_option(std::string_view name) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& one : known) all.emplace_back(one.name);
    return all;
  }();
  return thalweg::observe::closest_name(name, names);
}

[[noreturn]] void complain_of_none(const std::string& written, std::string_view name) {
  if (const auto instead = instead_of(name); !instead.empty())
    throw std::invalid_argument(written + " is of SPBench's bzip2; here: " + std::string(instead));
  const auto near = closest_option(name);
  throw std::invalid_argument(
      "there is no option '" + written + "'" +
      (near.empty() ? "; -help shows all" : ": did you mean -" + std::string(near) + "?"));
}

// Letters behind one dash: -lT is -l and -T, -t4 is -t 4.
std::vector<given_option> by_letters(const std::string& written) {
  std::vector<given_option> all;
  for (std::size_t i = 1; i < written.size(); ++i) {
    const auto name = name_of_letter(written[i]);
    if (name.empty() && !instead_of(written.substr(i, 1)).empty())
      complain_of_none("-" + written.substr(i, 1), written.substr(i, 1));
    if (name.empty()) complain_of_none(written, written.substr(1));
    const auto* const meant = find_option(name);
    all.push_back({meant, std::nullopt});
    if (meant->value.empty()) continue;
    if (i + 1 < written.size()) all.back().value = written.substr(i + 1);
    break;
  }
  return all;
}

// What a word stands for. Letters are not looked for where it looks like a name that was misspelt.
std::vector<given_option> meant_by(const std::string& written) {
  const auto dashes = written.starts_with("--") ? 2U : written.starts_with('-') ? 1U : 0U;
  const auto word = std::string_view(written).substr(dashes);
  if (dashes == 0 || word.empty())
    throw std::invalid_argument("there is no option '" + written + "'; an input is named behind -input");
  const auto name = word.substr(0, word.find('='));
  if (const auto* const one = find_option(name)) {
    if (name == word) return {{one, std::nullopt}};
    return {{one, std::string(word.substr(name.size() + 1))}};
  }
  const bool has_number = word.size() > 1 && word[1] >= '0' && word[1] <= '9';
  if (dashes == 1 && (has_number || closest_option(name).empty())) return by_letters(written);
  complain_of_none(written, name);
}

}  // namespace

options parse(int argc, const char* const* argv) {
  options result;
  if (argc > 0) result.program = std::filesystem::path(argv[0]).filename().string();
  for (int i = 1; i < argc; ++i) {
    const std::string written = argv[i];
    for (auto& [meant, value] : meant_by(written)) {
      const auto& wants = meant->value;
      if (wants.empty() && value)
        throw std::invalid_argument(written + ": -" + std::string(meant->name) + " has no value");
      if (!wants.empty() && !value) {
        if (i + 1 == argc) throw std::invalid_argument(written + " wants a value: " + std::string(wants));
        value = argv[++i];
      }
      try {
        meant->take(result, value.value_or(""));
        result.given.push_back(meant->name);
      } catch (const std::invalid_argument& e) {
        throw std::invalid_argument(written + ": " + e.what());
      }
    }
  }
  return result;
}

std::string help_text(const std::string& program, const std::string& output) {
  std::string text = program + " -input <class or file> [options]\n\n";
  thalweg::observe::text_table table;
  table.add_column("option", thalweg::observe::text_table::left);
  table.add_column("", thalweg::observe::text_table::left);
  for (const auto& one : known) {
    auto left = "-" + std::string(one.name);
    if (!one.value.empty()) left += " <" + std::string(one.value) + ">";
    std::string says(one.says);
    if (const auto at = says.find('%'); at != says.npos) says.replace(at, 1, output);
    table.add_row({left, says});
  }
  return text + table.to_string() + "\nIn short, as in SPBench: " + letters_text() + "\n";
}

}  // namespace spb::detail
