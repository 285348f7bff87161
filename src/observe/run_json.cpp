#include "run_json.hpp"

#include <thalweg/observe/histogram.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <unistd.h>

namespace THALWEG_NAMESPACE::observe {

namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// A quarter of an octave each: the histogram's own are more than a picture can show.
constexpr std::size_t folded = histogram::sub_buckets / 4;

void write_buckets(json_writer& json, const histogram& counted) {
  json.key("buckets").begin_array();
  for (std::size_t first = 0; first < histogram::buckets; first += folded) {
    const auto behind = std::min(first + folded, histogram::buckets);
    std::uint64_t count = 0;
    for (std::size_t b = first; b < behind; ++b) count += counted.count_in(b);
    if (count == 0) continue;
    json.begin_array().value(histogram::highest_of(behind - 1)).value(count).end_array();
  }
  json.end_array();
}

// Limits that do not hold are left out.
void write(json_writer& json, std::string_view key, const batch_limits& limits) {
  json.key(key).begin_object();
  if (limits.items > 0) json.member("items", limits.items);
  if (limits.bytes > 0) json.member("bytes", limits.bytes);
  if (limits.interval.count() > 0) json.member("interval_ns", limits.interval.count());
  json.end_object();
}

template <class Numbers> void write(json_writer& json, std::string_view key, const Numbers& numbers) {
  json.key(key).begin_array();
  for (const auto number : numbers) json.value(number);
  json.end_array();
}

}  // namespace

std::int64_t unix_ms_before(std::chrono::nanoseconds ago) {
  const auto then = std::chrono::system_clock::now() - ago;
  return std::chrono::duration_cast<std::chrono::milliseconds>(then.time_since_epoch()).count();
}

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

void write_latency(json_writer& json, const latency_report& latency) {
  if (latency.count() == 0) return;
  json.key("latency_ns").begin_object().member("count", latency.count());
  json.member("p50", latency.p50().count()).member("p90", latency.p90().count());
  json.member("p99", latency.p99().count()).member("max", latency.max().count());
  write_buckets(json, latency.histogram());
  json.end_object();
}

void write_shares(json_writer& json, const stage_report& now) {
  const auto all = now.shares();
  if (all.size() < 2 || all.size() > most_shares) return;
  const auto write_each = [&](std::string_view key, auto number_of) {
    json.key(key).begin_array();
    for (const auto& one : all) json.value(number_of(one));
    json.end_array();
  };
  json.key("shares").begin_object().member("by", to_string(now.divided_by()));
  write_each("number", [](const share_report& one) { return one.number; });
  write_each("items", [](const share_report& one) { return one.items; });
  write_each("busy_ns", [](const share_report& one) { return one.busy.count(); });
  json.end_object();
}

void write_bottleneck(json_writer& json, const bottleneck_report& limit) {
  auto reason = std::string(to_string(limit.reason));
  std::replace(reason.begin(), reason.end(), ' ', '_');
  json.key("bottleneck").begin_object().member("stage", limit.stage).member("reason", reason);
  json.member("advice", limit.advice).member("utilisation", limit.utilisation);
  json.member("possible_gain", limit.possible_gain).end_object();
}

void write_ranks(json_writer& json, const report& now) {
  if (now.ranks().empty()) return;
  json.key("ranks").begin_array();
  for (const auto& r : now.ranks()) {
    json.begin_object().member("rank", r.rank).member("host", r.host).member("workers", r.workers);
    json.member("cpu_ns", r.cpu.count()).member("peak_bytes", r.peak_bytes);
    json.member("messages", r.messages).member("bytes", r.bytes).member("credits", r.credits);
    if (r.age.count() > 0) json.member("age_ns", r.age.count());
    json.end_object();
  }
  json.end_array();
}

void write_batch(json_writer& json, const stage_report& stage) {
  if (stage.batch()) write(json, "batch", *stage.batch());
}

void write_changes(json_writer& json, const report& r) {
  json.key("resizes").begin_array();
  for (const auto& e : r.resizes()) {
    json.begin_object().member("at_ns", e.at.count()).member("stage", e.stage);
    json.member("from", e.from).member("to", e.to).end_object();
  }
  json.end_array().key("rate_changes").begin_array();
  for (const auto& c : r.rate_changes()) {
    json.begin_object().member("at_ns", c.at.count()).member("stage", c.stage);
    json.member("from", c.from).member("to", c.to).end_object();
  }
  json.end_array().key("batch_changes").begin_array();
  for (const auto& c : r.batch_changes()) {
    json.begin_object().member("at_ns", c.at.count()).member("stage", c.stage);
    write(json, "from", c.from);
    write(json, "to", c.to);
    json.end_object();
  }
  json.end_array();
}

void write_decisions(json_writer& json, const report& r) {
  json.key("decisions").begin_array();
  for (const auto& d : r.decisions()) {
    json.begin_object().member("at_ns", d.at.count()).member("planner", d.planner);
    json.member("what", d.what).member("reason", d.reason).member("measured", d.measured);
    if (d.predicted > 0) json.member("predicted", d.predicted);
    if (d.reached > 0) json.member("reached", d.reached);
    json.end_object();
  }
  json.end_array();
}

void write_happenings(json_writer& json, const report& now, const report& window) {
  write_changes(json, window);
  write_decisions(json, now.final() ? now : window);
  json.key("notes").begin_array();
  for (const auto& note : window.notes()) json.value(note);
  json.end_array();
}

}  // namespace THALWEG_NAMESPACE::observe
