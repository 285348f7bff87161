#include "spb/detail/options.hpp"

#include <thalweg/observe/text.hpp>

#include <charconv>
#include <climits>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <utility>

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

// What SPBench's programs call some of them.
constexpr std::pair<char, std::string_view> letters[] = {
    {'i', "input"},     {'t', "nthreads"}, {'b', "batch-size"}, {'B', "batch-interval"},
    {'m', "monitor"},   {'M', "monitor"},  {'f', "frequency"},  {'F', "freq-patt"},
    {'I', "in-memory"}, {'l', "latency"},  {'T', "throughput"}, {'r', "memory-usage"},
    {'u', "user-arg"},  {'h', "help"}};

// A letter becomes its name. Digits may stand behind it at once: -t4 becomes -nthreads and 4.
std::pair<std::string, std::string> in_full(const std::string& written) {
  const bool is_short = written.size() == 2 || (written.size() > 2 && written[2] >= '0' && written[2] <= '9');
  if (is_short && written[0] == '-')
    for (const auto& [letter, name] : letters)
      if (written[1] == letter) return {"-" + std::string(name), written.substr(2)};
  return {written, ""};
}

const option& option_named(const std::string& written) {
  const auto dashes = written.starts_with("--") ? 2U : written.starts_with('-') ? 1U : 0U;
  const auto name = std::string_view(written).substr(dashes);
  std::vector<std::string> names;
  if (dashes > 0) {
    for (const auto& one : known) {
      if (one.name == name) return one;
      names.emplace_back(one.name);
    }
  }
  const auto near = thalweg::observe::closest_name(name, names);
  throw std::invalid_argument(
      "there is no option '" + written + "'" +
      (near.empty() ? "; -help shows all" : ": did you mean -" + std::string(near) + "?"));
}

}  // namespace

options parse(int argc, const char* const* argv) {
  options result;
  for (int i = 1; i < argc; ++i) {
    const std::string written = argv[i];
    auto [name, value] = in_full(written);
    const auto& found = option_named(name);
    if (found.value.empty() && !value.empty())
      throw std::invalid_argument(written + ": " + name + " has no value");
    if (!found.value.empty() && value.empty()) {
      if (i + 1 == argc) throw std::invalid_argument(written + " wants a value: " + std::string(found.value));
      value = argv[++i];
    }
    try {
      found.take(result, value);
      result.given.push_back(found.name);
    } catch (const std::invalid_argument& e) {
      throw std::invalid_argument(written + ": " + e.what());
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
  std::string short_ones;
  for (const auto& [letter, name] : letters)
    short_ones += std::string(short_ones.empty() ? "" : ", ") + "-" + letter + " " + std::string(name);
  return text + table.to_string() + "\nIn short, as in SPBench: " + short_ones + "\n";
}

}  // namespace spb::detail
