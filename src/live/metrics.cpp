#include "metrics.hpp"

#include <thalweg/observe/resources.hpp>
#include <thalweg/observe/text.hpp>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

namespace THALWEG_NAMESPACE::live {

namespace {

// The text of a label's value: names come from users, and the format has no escapes for what moves a cursor.
std::string escaped(std::string_view name) {
  std::string all;
  for (const char c : observe::printable(name)) {
    if (c == '\\' || c == '"') all += '\\';
    all += c;
  }
  return all;
}

double seconds(std::chrono::nanoseconds time) {
  return static_cast<double>(time.count()) / 1e9;
}

class exposition {
 public:
  /// What follows are values of this metric.
  void begin(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    text.append("# HELP ").append(name).append(" ").append(help).append("\n");
    text.append("# TYPE ").append(name).append(" ").append(type).append("\n");
  }
  template <class Number>
  void value(Number number, std::string_view labels = {}, std::string_view suffix = {}) {
    text.append(name_).append(suffix);
    if (!labels.empty()) text.append("{").append(labels).append("}");
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    text.append(" ").append(digits.data(), end).append("\n");
  }
  template <class Number>
  void single(std::string_view name, std::string_view type, std::string_view help, Number number) {
    begin(name, type, help);
    value(number);
  }
  /// One value for each stage for which there is one.
  template <class Value>
  void stages(const report& of, std::string_view name, std::string_view type, std::string_view help,
              Value value_of, const std::function<bool(const stage_report&)>& known = {}) {
    bool begun = false;
    for (const auto& s : of.stages()) {
      if (known && !known(s)) continue;
      if (!std::exchange(begun, true)) begin(name, type, help);
      value(value_of(s), "stage=\"" + escaped(s.name()) + "\"");
    }
  }

  std::string text;

 private:
  std::string_view name_;
};

void add_latency(exposition& to, const latency_report& latency) {
  if (latency.count() == 0) return;
  to.begin("thalweg_latency_seconds", "histogram", "Time of an item from a source to a sink.");
  struct bound {
    std::string_view text;
    std::int64_t ns;
  };
  static constexpr auto bounds = std::to_array<bound>(
      {{"1e-06", 1'000},      {"2.5e-06", 2'500},     {"5e-06", 5'000},      {"1e-05", 10'000},
       {"2.5e-05", 25'000},   {"5e-05", 50'000},      {"0.0001", 100'000},   {"0.00025", 250'000},
       {"0.0005", 500'000},   {"0.001", 1'000'000},   {"0.0025", 2'500'000}, {"0.005", 5'000'000},
       {"0.01", 10'000'000},  {"0.025", 25'000'000},  {"0.05", 50'000'000},  {"0.1", 100'000'000},
       {"0.25", 250'000'000}, {"0.5", 500'000'000},   {"1", 1'000'000'000},  {"2.5", 2'500'000'000},
       {"5", 5'000'000'000},  {"10", 10'000'000'000}, {"60", 60'000'000'000}});
  const auto& counted = latency.histogram();
  for (const auto& [text, ns] : bounds)
    to.value(counted.count_up_to(ns), "le=\"" + std::string(text) + "\"", "_bucket");
  to.value(latency.count(), "le=\"+Inf\"", "_bucket");
  to.value(counted.sum() / 1e9, {}, "_sum");
  to.value(latency.count(), {}, "_count");
}

// Prometheus keeps a series for each: none of them if they are many.
constexpr std::size_t most_shares = 64;

void add_shares(exposition& to, const report& now) {
  std::size_t number = 0;
  for (const auto& s : now.stages()) number += s.shares().size();
  if (number == 0 || number > most_shares) return;
  const auto each = [&](std::string_view name, std::string_view help, auto value_of) {
    to.begin(name, "counter", help);
    for (const auto& s : now.stages()) {
      for (const auto& one : s.shares()) {
        to.value(value_of(one), "stage=\"" + escaped(s.name()) + "\",by=\"" +
                                    std::string(observe::to_string(s.divided_by())) + "\",number=\"" +
                                    std::to_string(one.number) + "\"");
      }
    }
  };
  each("thalweg_stage_share_items_total",
       "Items that a replica, a part of the keys or a rank has worked on (by).",
       [](const share_report& one) { return one.items; });
  each("thalweg_stage_share_busy_seconds_total",
       "Time that a replica, a part of the keys or a rank has spent inside the operators of a stage (by).",
       [](const share_report& one) { return seconds(one.busy); });
}

void add_observed(exposition& to, const report& now) {
  to.single("thalweg_items_total", "counter", "Items that have reached the sinks.", now.items());
  to.stages(now, "thalweg_stage_items_in_total", "counter", "Items taken by a stage.",
            std::mem_fn(&stage_report::items_in));
  to.stages(now, "thalweg_stage_items_out_total", "counter", "Items given by a stage.",
            std::mem_fn(&stage_report::items_out));
  to.stages(
      now, "thalweg_stage_busy_seconds_total", "counter", "Time inside the operators of a stage.",
      [](const stage_report& s) { return seconds(s.busy()); }, std::mem_fn(&stage_report::timed));
  to.stages(
      now, "thalweg_stage_wait_input_seconds_total", "counter", "Time that replicas have waited for items.",
      [](const stage_report& s) { return seconds(s.waited_for_input()); },
      [](const stage_report& s) { return s.waited_for_input().count() != 0; });
  to.stages(
      now, "thalweg_stage_wait_output_seconds_total", "counter",
      "Time that replicas have waited for room behind them.",
      [](const stage_report& s) { return seconds(s.waited_for_output()); },
      [](const stage_report& s) { return s.waited_for_output().count() != 0; });
  add_shares(to, now);
  add_latency(to, now.latency());
}

}  // namespace

std::string metrics_text(const report& now, bool paused) {
  exposition to;
  to.single("thalweg_running", "gauge", "1 while the run goes on, 0 when it is over.", now.final() ? 0 : 1);
  to.single("thalweg_paused", "gauge", "1 while the run is paused.", paused ? 1 : 0);
  to.single("thalweg_elapsed_seconds", "gauge", "Time since the run began.", seconds(now.elapsed()));
  to.single("thalweg_workers", "gauge", "Threads that execute stages.", now.workers());
  if (now.observed()) add_observed(to, now);
  to.single("thalweg_dropped_total", "counter", "Items discarded on purpose.", now.dropped());
  to.stages(now, "thalweg_stage_replicas", "gauge", "How many replicas of a stage may work at once.",
            std::mem_fn(&stage_report::replicas));
  to.stages(now, "thalweg_stage_errors_total", "counter", "Exceptions thrown by an operator.",
            std::mem_fn(&stage_report::errors));
  to.stages(now, "thalweg_stage_retries_total", "counter", "Attempts after the first.",
            std::mem_fn(&stage_report::retries));
  to.stages(now, "thalweg_stage_skipped_total", "counter", "Items given up.",
            std::mem_fn(&stage_report::skipped));
  to.stages(now, "thalweg_stage_dead_lettered_total", "counter", "Items handed to a dead-letter handler.",
            std::mem_fn(&stage_report::dead_lettered));
  to.stages(now, "thalweg_stage_dropped_total", "counter", "Items discarded on purpose, by stage.",
            std::mem_fn(&stage_report::dropped));
  const auto used = observe::process_resources();
  to.single("process_cpu_seconds_total", "counter", "Processor time of the process.",
            static_cast<double>(used.cpu_ns()) / 1e9);
  to.single("process_resident_memory_bytes", "gauge", "Resident memory of the process.", used.resident_bytes);
  return to.text;
}

}  // namespace THALWEG_NAMESPACE::live
