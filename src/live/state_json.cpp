#include "state_json.hpp"

#include <thalweg/observe/json.hpp>
#include <thalweg/observe/resources.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

#include <unistd.h>

namespace THALWEG_NAMESPACE::live {

namespace {

using observe::json_writer;

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// A quarter of an octave each: the histogram's own are more than a picture can show.
constexpr std::size_t folded = observe::histogram::sub_buckets / 4;

void write_buckets(json_writer& json, const observe::histogram& counted) {
  json.key("buckets").begin_array();
  for (std::size_t first = 0; first < observe::histogram::buckets; first += folded) {
    const auto behind = std::min(first + folded, observe::histogram::buckets);
    std::uint64_t count = 0;
    for (std::size_t b = first; b < behind; ++b) count += counted.count_in(b);
    if (count == 0) continue;
    json.begin_array().value(observe::histogram::highest_of(behind - 1)).value(count).end_array();
  }
  json.end_array();
}

void write(json_writer& json, const latency_report& latency) {
  if (latency.count() == 0) return;
  json.key("latency_ns").begin_object().member("count", latency.count());
  json.member("p50", latency.p50().count()).member("p90", latency.p90().count());
  json.member("p99", latency.p99().count()).member("max", latency.max().count());
  write_buckets(json, latency.histogram());
  json.end_object();
}

// The share of the time of all replicas; nothing is known of a stage for which no waiting was ever counted.
void write_share(json_writer& json, std::string_view key, std::chrono::nanoseconds ever,
                 std::chrono::nanoseconds in_window, const report& window, int replicas) {
  const auto whole =
      static_cast<double>((window.elapsed() - window.paused()).count()) * std::max(1, replicas);
  if (ever.count() == 0 || whole <= 0) return;
  json.member(key, std::clamp(static_cast<double>(in_window.count()) / whole, 0.0, 1.0));
}

void write(json_writer& json, const report& whole, const stage_report& now, const report& of,
           const stage_report& window) {
  json.begin_object();
  if (whole.observed()) {
    json.member("items_in", now.items_in()).member("items_out", now.items_out());
    if (const auto seconds = static_cast<double>(of.elapsed().count()) / 1e9; seconds > 0)
      json.member("rate", static_cast<double>(window.items()) / seconds);
  }
  if (window.timed()) {
    json.member("service_ns", window.service_time().count()).member("busy", window.parallelism());
  } else if (now.timed()) {
    json.member("busy", 0.0);
  }
  json.member("replicas", now.replicas());
  if (now.due_rate()) json.member("due_rate", *now.due_rate());
  write_share(json, "wait_in", now.waited_for_input(), window.waited_for_input(), of, now.replicas());
  write_share(json, "wait_out", now.waited_for_output(), window.waited_for_output(), of, now.replicas());
  const auto& totals = window.data().totals;
  if (totals.occupancy.samples != 0) json.member("occupancy", window.occupancy().mean);
  if (now.data().capacity != 0) json.member("capacity", now.data().capacity);
  if (totals.reorder.samples != 0) json.member("reorder", window.reorder().mean);
  if (now.data().reorder_capacity != 0) json.member("reorder_capacity", now.data().reorder_capacity);
  json.member("errors", now.errors()).member("retries", now.retries()).member("skipped", now.skipped());
  json.member("dead_lettered", now.dead_lettered()).member("dropped", now.dropped());
  if (window.data().latency) write(json, window.latency());
  json.end_object();
}

void write(json_writer& json, const bottleneck_report& limit) {
  auto reason = std::string(to_string(limit.reason));
  std::replace(reason.begin(), reason.end(), ' ', '_');
  json.key("bottleneck").begin_object().member("stage", limit.stage).member("reason", reason);
  json.member("advice", limit.advice).member("utilisation", limit.utilisation);
  json.member("possible_gain", limit.possible_gain).end_object();
}

template <class Numbers> void write(json_writer& json, std::string_view key, const Numbers& numbers) {
  json.key(key).begin_array();
  for (const auto number : numbers) json.value(number);
  json.end_array();
}

}  // namespace

std::string graph_json(const report& now, const run_facts& facts) {
  std::string text;
  json_writer json(text);
  json.begin_object().member("title", facts.title).member("pid", ::getpid()).member("host", host_name());
  json.member("policy", now.policy()).member("workers", now.workers()).member("cores", now.cores());
  json.member("control", facts.control).member("began_unix_ms", facts.began_unix_ms);
  json.member("every_ms", static_cast<double>(facts.every.count()) / 1e6);
  json.key("stages").begin_array();
  for (const auto& stage : now.stages()) {
    const auto& s = stage.data();
    json.begin_object().member("name", s.name).member("kind", s.kind).member("farm", s.farm);
    write(json, "inputs", s.inputs);
    if (s.capacity != 0) json.member("capacity", s.capacity);
    if (s.segment >= 0) json.member("segment", s.segment);
    json.member("paced", s.paced).member("blocking", s.blocking);
    write(json, "ranks", s.ranks);
    json.end_object();
  }
  json.end_array().end_object();
  return text;
}

std::string sample_json(const report& now, const report& window, bool paused) {
  std::string text;
  json_writer json(text);
  json.begin_object().member("time_ns", now.elapsed().count()).member("window_ns", window.elapsed().count());
  json.member("done", now.final()).member("paused", paused);
  if (now.observed()) {
    json.member("items", now.items()).member("throughput", window.throughput());
    json.member("dropped", now.dropped());
  }
  json.member("cores_used", window.cores_used()).member("cpu_ns", now.cpu_time().count());
  json.member("resident_bytes", observe::process_resources().resident_bytes);
  write(json, window.latency());
  json.key("stages").begin_array();
  for (std::size_t i = 0; i < now.stages().size(); ++i)
    write(json, now, now.stages()[i], window, window.stages()[i]);
  json.end_array();
  if (now.observed()) write(json, window.bottleneck());
  json.key("resizes").begin_array();
  for (const auto& e : now.resizes()) {
    json.begin_object().member("at_ns", e.at.count()).member("stage", e.stage);
    json.member("from", e.from).member("to", e.to).end_object();
  }
  json.end_array().key("rate_changes").begin_array();
  for (const auto& c : now.rate_changes()) {
    json.begin_object().member("at_ns", c.at.count()).member("stage", c.stage);
    json.member("from", c.from).member("to", c.to).end_object();
  }
  json.end_array().key("notes").begin_array();
  for (const auto& note : now.notes()) json.value(note);
  json.end_array().end_object();
  return text;
}

}  // namespace THALWEG_NAMESPACE::live
