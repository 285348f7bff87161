#include "window_json.hpp"

#include <algorithm>
#include <chrono>

#include "numbers.hpp"

namespace THALWEG_NAMESPACE::adaptation {

namespace {

using observe::json_writer;

double milliseconds_of(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

std::string_view name_of(goal::kind what) {
  switch (what) {
    case goal::kind::throughput:
      return "throughput";
    case goal::kind::keep_up:
      return "keep_up";
    case goal::kind::latency:
      return "latency";
    case goal::kind::utilisation:
      return "utilisation";
  }
  return "";
}

void write(json_writer& json, const stage_window& s) {
  json.begin_object().member("name", s.name).key("inputs").begin_array();
  for (const auto i : s.inputs) json.value(i);
  json.end_array().member("farm", s.farm());
  json.key("replicas").begin_object().member("wanted", s.replicas);
  json.member("least", s.least).member("most", s.most).end_object();
  json.member("items_in", s.items_in).member("items_out", s.items_out).member("runs", s.runs);
  json.member("busy_ns", s.busy.count()).member("cpu_ns", s.cpu.count());
  json.member("wait_in_ns", s.waited_in.count()).member("wait_out_ns", s.waited_out.count());
  json.member("queued_items", s.queued);
  if (s.capacity > 0) json.member("capacity", s.capacity);
  if (const auto rate = s.true_rate(); rate > 0) json.member("true_rate", rate);
  if (s.due_rate) json.member("due_rate", *s.due_rate);
  if (s.batch) {
    json.key("batch");
    write_limits(json, *s.batch);
  }
  if (s.credits) json.member("credits", *s.credits);
  json.end_object();
}

void write(json_writer& json, const rank_window& r) {
  const bool works = r.now == rank_window::state::working;
  json.begin_object().member("rank", r.rank).member("host", r.host);
  json.member("state", works ? "working" : "reserve").member("workers", r.workers);
  json.member("cpu_ns", r.cpu.count()).member("age_ms", milliseconds_of(r.age)).end_object();
}

// Of a run on several.
void write_ranks(json_writer& json, const window& w) {
  if (w.ranks.empty()) return;
  json.key("working_ranks").begin_object().member("wanted", w.working_ranks());
  json.member("least", least_ranks_of(w)).member("most", most_ranks_of(w)).end_object();
  json.key("ranks").begin_array();
  for (const auto& r : w.ranks) write(json, r);
  json.end_array();
}

// All paced sources together; nothing if there is none.
void write_source(json_writer& json, const window& w) {
  const bool paced = std::ranges::any_of(w.stages, [](const auto& s) { return s.due_rate.has_value(); });
  if (paced) json.key("source").begin_object().member("due_rate", due_rate_of(w)).end_object();
}

void write_sink(json_writer& json, const window& w) {
  std::uint64_t items = 0;
  for (const auto& s : w.stages) items += s.sink ? s.items_in : 0;
  json.key("sink").begin_object().member("items", items);
  if (!w.latency.empty()) {
    json.key("latency_ns").begin_object().member("p50", w.latency.quantile(0.5));
    json.member("p99", w.latency.quantile(0.99)).member("p99.9", w.latency.quantile(0.999));
    json.member("from_due", w.latency_from_due).end_object();
  }
  json.end_object();
}

void write_goal(json_writer& json, const goal& g) {
  json.key("goal").begin_object().member("kind", name_of(g.what));
  if (g.what == goal::kind::latency) json.member("quantile", g.quantile).member("limit_ns", g.limit.count());
  if (g.what == goal::kind::utilisation) json.member("share", g.share);
  json.end_object();
}

}  // namespace

std::string window_json(const window& w, std::string_view run) {
  std::string line;
  json_writer json(line);
  json.begin_object().member("v", 1).member("run", run).member("seq", w.number);
  json.member("t_ns", w.at.count()).member("window_ns", w.length.count());
  json.member("cores", w.cores).member("workers", w.workers).member("cpu_ns", w.cpu.count());
  json.member("changed", w.changed);
  write_goal(json, w.goal);
  json.key("stages").begin_array();
  for (const auto& s : w.stages) write(json, s);
  json.end_array();
  write_ranks(json, w);
  if (w.run_length) write_run_length(json, *w.run_length);
  if (w.message_bytes) json.member("message_bytes", *w.message_bytes);
  write_source(json, w);
  write_sink(json, w);
  json.end_object();
  return line += '\n';
}

void write_limits(json_writer& json, const batch_limits& limits) {
  json.begin_object();
  if (limits.items > 0) json.member("count", limits.items);
  if (limits.bytes > 0) json.member("bytes", limits.bytes);
  if (limits.interval.count() > 0) json.member("interval_ms", milliseconds_of(limits.interval));
  json.end_object();
}

void write_run_length(json_writer& json, std::chrono::nanoseconds work) {
  json.member("run_length_us", std::chrono::duration<double, std::micro>(work).count());
}

}  // namespace THALWEG_NAMESPACE::adaptation
