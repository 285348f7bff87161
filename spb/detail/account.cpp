#include "spb/detail/account.hpp"

#include <thalweg/observe/json.hpp>
#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>

#include <sys/stat.h>
#include <unistd.h>

#include "spb/metric.hpp"

namespace spb::detail {
namespace {

using thalweg::observe::fixed_text;
using thalweg::observe::json_writer;
using thalweg::observe::text_table;

constexpr std::size_t most_lines = 60;  // of samples that are shown

std::string in_ms(double ms) {
  return thalweg::observe::duration_text(ms * 1e6);
}

std::string in_seconds(double seconds) {
  return thalweg::observe::duration_text(seconds * 1e9);
}

std::string in_mb(std::uint64_t bytes) {
  return fixed_text(static_cast<double>(bytes) / 1e6, 1) + " MB";
}

// Whether a file is our standard output, by whichever name: what it gets would have our words among it.
bool is_standard_output(const std::filesystem::path& file) {
  struct stat one {
  }, other{};
  return !file.empty() && ::stat(file.c_str(), &one) == 0 && ::fstat(STDOUT_FILENO, &other) == 0 &&
         !S_ISCHR(one.st_mode) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

std::FILE* results_to = stdout;

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), results_to);
}

void add_row(text_table& table, const std::string& name, const latency_result& l) {
  table.add_row({name, in_ms(l.mean), in_ms(l.p50), in_ms(l.p95), in_ms(l.p99), in_ms(l.p99_9),
                 in_ms(l.p99_99), in_ms(l.min), in_ms(l.max)});
}

void show_latencies(const results& found) {
  text_table table;
  table.add_column("latency", text_table::left);
  for (const auto* title : {"mean", "p50", "p95", "p99", "p99.9", "p99.99", "min", "max"})
    table.add_column(title);
  add_row(table, "end to end", found.latency);
  for (std::size_t i = 0; i < found.sources.size(); ++i)
    add_row(table, "from source " + std::to_string(i + 1), found.sources[i].latency);
  for (const auto& [name, time] : found.operators) add_row(table, name, time);
  print(table.to_string("  "));
  if (found.latency.count > 0)
    print("  the shortest came " + in_seconds(found.min_at) + " from the beginning, the longest " +
          in_seconds(found.max_at) + "\n");
}

void show_sources(const results& found) {
  for (std::size_t i = 0; i < found.sources.size(); ++i)
    print("  source " + std::to_string(i + 1) + ": " +
          thalweg::observe::count_text(found.sources[i].elements) + " elements, " +
          thalweg::observe::rate_text(found.sources[i].throughput) + "\n");
}

void show_hardware(const thalweg::observe::hardware_counts& found) {
  if (!found.instructions) return;
  print("  processor: " + thalweg::observe::count_text(*found.instructions) + " instructions");
  if (found.cycles && *found.cycles > 0)
    print(", " +
          fixed_text(static_cast<double>(*found.instructions) / static_cast<double>(*found.cycles), 2) +
          " a cycle");
  if (found.cache_misses) print(", " + thalweg::observe::count_text(*found.cache_misses) + " cache misses");
  if (found.branch_misses)
    print(", " + thalweg::observe::count_text(*found.branch_misses) + " mispredicted branches");
  print("\n");
}

void show_resources(const results& found) {
  print("  memory: " + in_mb(found.peak_bytes) + " at most; processors: " + in_seconds(found.cpu_seconds));
  if (const auto& each = found.cpu_seconds_of_threads; !each.empty()) {
    const auto [least, most] = std::minmax_element(each.begin(), each.end());
    print(", " + std::to_string(each.size()) + (each.size() == 1 ? " thread: " : " threads: ") +
          in_seconds(*least) + (each.size() == 1 ? "" : " to " + in_seconds(*most)));
  }
  for (std::size_t i = 0; i < found.processes.size(); ++i) {
    const auto& one = found.processes[i];
    print("\n  rank " + std::to_string(i) + " on " + one.host + ": " + in_mb(one.peak_bytes) + ", " +
          in_seconds(one.cpu_seconds));
  }
  print("\n  switches: " + thalweg::observe::count_text(found.voluntary_switches) + " to wait, " +
        thalweg::observe::count_text(found.involuntary_switches) +
        " forced; page faults: " + thalweg::observe::count_text(found.minor_faults) + ", " +
        thalweg::observe::count_text(found.major_faults) + " from disk\n");
  print("  energy: " +
        (found.joules ? fixed_text(*found.joules, 1) + " J, all processors of the machine"
                      : std::string("the machine does not tell")) +
        "\n");
  show_hardware(found.hardware);
}

void show_own_metrics() {
  for (const auto& one : Metric::all()) {
    const auto number = [&](double value) { return thalweg::observe::number_text(value, 4); };
    print("  " + one.name + ": " + number(one.mean()) + (one.unit.empty() ? "" : " " + one.unit) + " (" +
          number(one.least) + " to " + number(one.greatest) + "), sum " + number(one.sum) + ", noted " +
          thalweg::observe::count_text(one.count) + " times\n");
  }
}

void show_samples(const results& found) {
  text_table table;
  for (const auto* title : {"time", "asked for", "throughput", "latency", "p99", "batch", "cores", "memory"})
    table.add_column(title);
  const auto step = (found.samples.size() + most_lines - 1) / most_lines;
  found.for_each_interval(std::max<std::size_t>(1, step), [&](const results::interval& s) {
    table.add_row({fixed_text(s.seconds, 2) + " s", s.rate == 0 ? "" : thalweg::observe::rate_text(s.rate),
                   thalweg::observe::rate_text(s.throughput), s.latency_ms == 0 ? "" : in_ms(s.latency_ms),
                   s.p99_ms == 0 ? "" : in_ms(s.p99_ms), fixed_text(s.batch, 1), fixed_text(s.cores, 2),
                   in_mb(s.resident_bytes)});
  });
  print(table.to_string("  "));
  if (step > 1) print("  every " + std::to_string(step) + " samples in a line; -json has all\n");
}

using relation = thalweg::net::sender_clock::relation;

void show_sender(const thalweg::net::sender_clock& clock) {
  std::string known = "both read the same clock";
  if (clock.by == relation::asked)
    known = "its clock is known within " +
            thalweg::observe::duration_text(static_cast<double>(clock.within_ns)) + ", as it was asked for";
  if (clock.by == relation::wall_clocks) known = "its clock is known as far as the wall clocks agree";
  print("  it counts from the moment at which the sender took elements, or they were due there; " + known +
        "\n");
}

void put_sender(json_writer& json, const thalweg::net::sender_clock& clock) {
  json.key("from_sender").begin_object();
  json.member("clock", clock.by == relation::shared  ? "shared"
                       : clock.by == relation::asked ? "asked"
                                                     : "wall_clocks");
  if (clock.by == relation::asked) json.member("within_ms", static_cast<double>(clock.within_ns) * 1e-6);
  json.end_object();
}

void put(json_writer& json, const latency_result& l) {
  json.member("count", l.count).member("mean_ms", l.mean).member("min_ms", l.min).member("p50_ms", l.p50);
  json.member("p95_ms", l.p95).member("p99_ms", l.p99).member("p99_9_ms", l.p99_9);
  json.member("p99_99_ms", l.p99_99).member("max_ms", l.max);
}

void put_latencies(json_writer& json, const account& of) {
  const auto& found = of.found;
  put(json.key("latency").begin_object(), found.latency);
  if (of.sender) put_sender(json, *of.sender);
  json.member("min_at", found.min_at).member("max_at", found.max_at);
  json.key("histogram").begin_array();
  for (const auto& [at_most, count] : found.histogram)
    json.begin_array().value(at_most).value(count).end_array();
  json.end_array().end_object();
  json.key("operators").begin_array();
  for (const auto& [name, time] : found.operators) {
    json.begin_object().member("name", name);
    put(json.key("time").begin_object(), time);
    json.end_object().end_object();
  }
  json.end_array();
}

void put_sources(json_writer& json, const results& found, bool latency) {
  json.key("sources").begin_array();
  for (const auto& one : found.sources) {
    json.begin_object().member("elements", one.elements).member("throughput", one.throughput);
    if (latency) {
      put(json.key("latency").begin_object(), one.latency);
      json.end_object();
    }
    json.end_object();
  }
  json.end_array();
}

void put_resources(json_writer& json, const results& found) {
  json.member("cpu_seconds", found.cpu_seconds).member("peak_bytes", found.peak_bytes);
  json.key("cpu_seconds_of_threads").begin_array();
  for (const auto seconds : found.cpu_seconds_of_threads) json.value(seconds);
  json.end_array();
  json.member("voluntary_switches", found.voluntary_switches);
  json.member("involuntary_switches", found.involuntary_switches);
  json.member("minor_faults", found.minor_faults).member("major_faults", found.major_faults);
  if (!found.processes.empty()) {
    json.key("ranks").begin_array();
    for (const auto& one : found.processes) {
      json.begin_object().member("host", one.host).member("cpu_seconds", one.cpu_seconds);
      json.member("peak_bytes", one.peak_bytes).end_object();
    }
    json.end_array();
  }
  if (found.joules) json.member("joules", *found.joules);
  const auto put = [&](const char* name, const std::optional<std::uint64_t>& count) {
    if (count) json.member(name, *count);
  };
  put("cycles", found.hardware.cycles);
  put("instructions", found.hardware.instructions);
  put("cache_misses", found.hardware.cache_misses);
  put("branch_misses", found.hardware.branch_misses);
}

void put_own_metrics(json_writer& json) {
  json.key("metrics").begin_array();
  for (const auto& one : Metric::all()) {
    json.begin_object().member("name", one.name).member("unit", one.unit).member("count", one.count);
    json.member("sum", one.sum).member("mean", one.mean()).member("min", one.least);
    json.member("max", one.greatest).end_object();
  }
  json.end_array();
}

}  // namespace

void show(const account& of) {
  const auto& [program, application, asked, found, verified, sender] = of;
  const auto ranks = found.processes.size();
  const auto written = {asked.output, asked.json, asked.latency_file};
  if (std::any_of(written.begin(), written.end(), is_standard_output)) results_to = stderr;
  print(program + ", " + asked.input + (ranks == 0 ? "" : ", " + std::to_string(ranks) + " ranks") +
        ", -nthreads " + std::to_string(asked.nthreads) + ": " +
        thalweg::observe::count_text(found.elements) + " elements in " + in_seconds(found.seconds) + "\n");
  if (found.passed_over > 0)
    print("  passed over, as they were late: " + thalweg::observe::count_text(found.passed_over) + "\n");
  if (asked.throughput) {
    print("  throughput: " + thalweg::observe::rate_text(found.throughput) + "\n");
    show_sources(found);
  }
  if (asked.memory_usage) show_resources(found);
  if (asked.latency) show_latencies(found);
  if (asked.latency && sender) show_sender(*sender);
  if (asked.throughput || asked.latency) show_own_metrics();
  if (!found.samples.empty()) show_samples(found);
  if (verified)
    print(std::string("  verified: ") + (verified->good ? "good: " : "WRONG: ") + verified->says + "\n");
}

void write_json(const account& of, apps::output_file& out) {
  const auto& [program, application, asked, found, verified, sender] = of;
  std::string text;
  json_writer json(text);
  json.begin_object().member("program", program).member("application", application);
  json.member("input", asked.input).member("nthreads", asked.nthreads).member("elements", found.elements);
  if (asked.late == when_late::skip) json.member("passed_over", found.passed_over);
  json.member("seconds", found.seconds).member("throughput", found.throughput);
  put_resources(json, found);
  if (asked.latency) put_latencies(json, of);
  if (!found.sources.empty()) put_sources(json, found, asked.latency);
  put_own_metrics(json);
  if (asked.monitor_ms > 0) {
    json.key("samples").begin_array();
    found.for_each_interval(1, [&](const results::interval& s) {
      json.begin_object().member("seconds", s.seconds).member("throughput", s.throughput);
      if (s.rate != 0) json.member("rate", s.rate);
      json.member("batch", s.batch).member("latency_ms", s.latency_ms);
      if (asked.latency)
        json.member("p50_ms", s.p50_ms).member("p99_ms", s.p99_ms).member("max_ms", s.max_ms);
      json.member("cores", s.cores).member("resident_bytes", s.resident_bytes).end_object();
      // There may be millions of them.
      out.write(text);
      text.clear();
    });
    json.end_array();
  }
  if (verified) {
    json.key("verified").begin_object().member("good", verified->good);
    json.member("says", verified->says).end_object();
  }
  json.end_object();
  text += '\n';
  out.write(text);
  out.close();
}

}  // namespace spb::detail
