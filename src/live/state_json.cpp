#include "state_json.hpp"

#include <thalweg/observe/json.hpp>
#include <thalweg/observe/resources.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "../observe/run_json.hpp"

namespace THALWEG_NAMESPACE::live {

namespace {

using observe::json_writer;

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
  observe::write_shares(json, now);
  if (now.due_rate()) json.member("due_rate", *now.due_rate());
  observe::write_batch(json, now);
  write_share(json, "wait_in", now.waited_for_input(), window.waited_for_input(), of, now.replicas());
  write_share(json, "wait_out", now.waited_for_output(), window.waited_for_output(), of, now.replicas());
  const auto& totals = window.data().totals;
  if (totals.occupancy.samples != 0) json.member("occupancy", window.occupancy().mean);
  if (now.data().capacity != 0) json.member("capacity", now.data().capacity);
  if (totals.reorder.samples != 0) json.member("reorder", window.reorder().mean);
  if (now.data().reorder_capacity != 0) json.member("reorder_capacity", now.data().reorder_capacity);
  json.member("errors", now.errors()).member("retries", now.retries()).member("skipped", now.skipped());
  json.member("dead_lettered", now.dead_lettered()).member("dropped", now.dropped());
  if (window.data().latency) observe::write_latency(json, window.latency());
  json.end_object();
}

}  // namespace

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
  observe::write_latency(json, window.latency());
  json.key("stages").begin_array();
  for (std::size_t i = 0; i < now.stages().size(); ++i)
    write(json, now, now.stages()[i], window, window.stages()[i]);
  json.end_array();
  if (now.observed()) observe::write_bottleneck(json, window.bottleneck());
  observe::write_ranks(json, now);
  observe::write_happenings(json, now, now);
  json.end_object();
  return text;
}

}  // namespace THALWEG_NAMESPACE::live
