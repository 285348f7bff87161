#include <thalweg/observe/json.hpp>
#include <thalweg/observe/report.hpp>
#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "run_json.hpp"

namespace THALWEG_NAMESPACE {

namespace {

using std::chrono::nanoseconds;

double ratio(double part, double whole) noexcept {
  return whole > 0 ? part / whole : 0.0;
}

double as_double(std::uint64_t n) noexcept {
  return static_cast<double>(n);
}

double as_double(nanoseconds t) noexcept {
  return static_cast<double>(t.count());
}

level_report to_report(const observe::level_totals& totals, std::size_t capacity) noexcept {
  return {totals.mean(), totals.max, capacity};
}

// What was never looked at is left out: it is not 0.
void write(observe::json_writer& json, std::string_view key, const observe::level_totals& totals,
           const level_report& level) {
  if (totals.samples == 0) return;
  json.key(key).begin_object().member("mean", level.mean).member("max", level.max);
  if (level.capacity != 0) json.member("capacity", level.capacity);
  json.end_object();
}

// A histogram is large: reports share those of sinks, which do not change.
std::shared_ptr<const latency_report> since(const std::shared_ptr<const latency_report>& now,
                                            const std::shared_ptr<const latency_report>& before) {
  if (!now || !before) return now;
  return std::make_shared<latency_report>(now->histogram().since(before->histogram()), now->from_due(),
                                          now->sampled());
}

void write(observe::json_writer& json, const latency_report& latency) {
  json.key("latency_ns").begin_object();
  json.member("count", latency.count()).member("from_due", latency.from_due());
  json.member("sampled", latency.sampled());
  if (latency.count() != 0) {
    json.member("min", latency.min().count()).member("mean", latency.histogram().mean());
    json.member("p50", latency.p50().count()).member("p90", latency.p90().count());
    json.member("p99", latency.p99().count()).member("p99.9", latency.p999().count());
    json.member("p99.99", latency.p9999().count()).member("max", latency.max().count());
  }
  json.end_object();
}

void write(observe::json_writer& json, const rank_report& r) {
  json.begin_object().member("rank", r.rank).member("host", r.host).member("workers", r.workers);
  json.member("cpu_ns", r.cpu.count()).member("peak_bytes", r.peak_bytes);
  json.member("messages", r.messages).member("bytes", r.bytes);
  json.member("credits", r.credits).member("others", r.others);
  json.member("clock_ns", r.clock.count()).member("clock_off_ns", r.clock_off.count());
  json.member("joined_ns", r.joined.count());
  if (r.age.count() > 0) json.member("age_ns", r.age.count());
  json.end_object();
}

void write(observe::json_writer& json, const channel_report& c) {
  json.begin_object().member("from", c.from).member("to", c.to);
  json.member("messages", c.messages).member("items", c.items).member("bytes", c.bytes);
  json.member("credits", c.credits).member("blocked_ns", c.blocked.count()).end_object();
}

void write_division(observe::json_writer& json, const stage_report& s) {
  json.member("divided_by", observe::to_string(s.divided_by())).member("skew", s.skew());
  json.key("shares").begin_array();
  for (const auto& one : s.shares()) {
    json.begin_object().member("number", one.number).member("items", one.items);
    json.member("busy_ns", one.busy.count()).end_object();
  }
  json.end_array();
}

void write(observe::json_writer& json, const stage_report& s) {
  json.begin_object();
  json.member("name", s.name()).member("kind", s.kind());
  json.member("items_in", s.items_in()).member("items_out", s.items_out()).member("runs", s.runs());
  if (s.timed()) {
    json.member("service_ns_per_item", s.service_time().count());
    json.member("service_sampled", s.service_sampled()).member("busy_ns", s.busy().count());
    json.member("parallelism", s.parallelism());
  }
  json.member("waited_for_input_ns", s.waited_for_input().count());
  json.member("waited_for_output_ns", s.waited_for_output().count());
  if (s.computing()) json.member("computing", *s.computing());
  json.member("replicas", s.replicas());
  if (s.divided_by() != observe::division::none) write_division(json, s);
  json.member("blocking", s.data().blocking).member("paced", s.data().paced);
  if (s.due_rate()) json.member("due_rate", *s.due_rate());
  observe::write_batch(json, s);
  json.key("segment");
  s.data().segment < 0 ? json.null() : json.value(s.data().segment);
  const auto& totals = s.data().totals;
  write(json, "occupancy", totals.occupancy, s.occupancy());
  write(json, "reorder", totals.reorder, s.reorder());
  write(json, "displacement", totals.displacement, s.displacement());
  json.member("errors", s.errors()).member("retries", s.retries()).member("skipped", s.skipped());
  json.member("dead_lettered", s.dead_lettered()).member("dropped", s.dropped());
  json.key("inputs").begin_array();
  for (const std::size_t input : s.data().inputs) json.value(input);
  json.end_array();
  if (s.data().latency) write(json, s.latency());
  if (!s.ranks().empty()) {
    json.key("ranks").begin_array();
    for (const int rank : s.ranks()) json.value(rank);
    json.end_array();
  }
  json.end_object();
}

}  // namespace

nanoseconds latency_report::min() const noexcept {
  return nanoseconds(histogram_.empty() ? 0 : histogram_.min());
}

nanoseconds latency_report::max() const noexcept {
  return nanoseconds(histogram_.empty() ? 0 : histogram_.max());
}

nanoseconds latency_report::mean() const noexcept {
  return nanoseconds(static_cast<std::int64_t>(histogram_.mean()));
}

stage_report::stage_report(stage_data data, nanoseconds active) : data_(std::move(data)), active_(active) {}

fractional_ns stage_report::service_time() const noexcept {
  return fractional_ns(ratio(as_double(data_.totals.service_ns), as_double(data_.totals.sampled_items)));
}

nanoseconds stage_report::busy() const noexcept {
  const observe::share_totals all{0, items(), data_.totals.service_ns, data_.totals.sampled_items};
  return nanoseconds(all.busy_ns());
}

std::vector<share_report> stage_report::shares() const {
  std::vector<share_report> all;
  for (const auto& one : data_.shares.all) all.push_back({one.number, one.items, nanoseconds(one.busy_ns())});
  return all;
}

double stage_report::skew() const {
  double most = 0, sum = 0;
  int number = 0;
  for (const auto& one : data_.shares.all) {
    const bool gone = divided_by() == observe::division::replica && one.number >= replicas();
    if (gone && one.items == 0) continue;
    const auto busy = as_double(one.busy_ns());
    most = std::max(most, busy);
    sum += busy;
    ++number;
  }
  return number < 2 ? 0.0 : ratio(most * number, sum);
}

double stage_report::parallelism() const noexcept {
  return ratio(as_double(busy()), as_double(active_));
}

double stage_report::items_per_run() const noexcept {
  return ratio(as_double(items()), as_double(runs()));
}

level_report stage_report::occupancy() const noexcept {
  return to_report(data_.totals.occupancy, data_.capacity);
}

level_report stage_report::reorder() const noexcept {
  return to_report(data_.totals.reorder, data_.reorder_capacity);
}

level_report stage_report::displacement() const noexcept {
  return to_report(data_.totals.displacement, 0);
}

const latency_report& stage_report::latency() const noexcept {
  static const latency_report none;
  return data_.latency ? *data_.latency : none;
}

std::string_view to_string(limited_by what) noexcept {
  switch (what) {
    case limited_by::unknown:
      return "unknown";
    case limited_by::schedule:
      return "schedule";
    case limited_by::source:
      return "source";
    case limited_by::sink:
      return "sink";
    case limited_by::serial_stage:
      return "serial stage";
    case limited_by::skew:
      return "skew";
    case limited_by::replicas:
      return "replicas";
    case limited_by::workers:
      return "workers";
    case limited_by::machine:
      return "machine";
    case limited_by::grain:
      return "grain";
    case limited_by::order:
      return "order";
  }
  return "unknown";
}

report::report(report_data data) : data_(std::move(data)) {
  stages_.reserve(data_.stages.size());
  for (stage_data& s : data_.stages) stages_.emplace_back(std::move(s), active());
  data_.stages.clear();
}

double report::throughput() const noexcept {
  return ratio(as_double(items()) * 1e9, as_double(elapsed()));
}

double report::cores_used() const noexcept {
  return ratio(as_double(cpu_time()), as_double(active()));
}

double report::parallelism() const noexcept {
  double sum = 0;
  for (const stage_report& s : stages_) sum += s.parallelism();
  return sum;
}

const stage_report& report::stage(std::string_view name) const {
  const auto exact = std::ranges::find(stages_, name, &stage_report::name);
  if (exact != stages_.end()) return *exact;

  const std::string tail = observe::joined({"/", name});
  std::vector<const stage_report*> matches;
  for (const stage_report& s : stages_) {
    if (s.name().ends_with(tail)) matches.push_back(&s);
  }
  if (matches.size() == 1) return *matches.front();

  std::string text = matches.empty() ? "no stage is named '" : "more than one stage is named '";
  text.append(name).append("'");
  std::vector<std::string> names;
  for (const stage_report& s : stages_) {
    if (matches.empty() || s.name().ends_with(tail)) names.push_back(s.name());
  }
  if (matches.empty()) {
    if (const auto close = observe::closest_name(name, names); !close.empty()) {
      text.append("; did you mean '").append(close).append("'?");
    }
  }
  text += names.empty()     ? "; there are no stages"
          : matches.empty() ? "; the stages are: "
                            : "; write one of: ";
  for (std::size_t i = 0; i != names.size(); ++i) text.append(i == 0 ? "" : ", ").append(names[i]);
  throw std::out_of_range(text);
}

report report::since(const report& earlier) const {
  const auto before_of = [&](std::size_t i) -> const stage_report* {
    const auto& name = stages_[i].name();
    const auto& all = earlier.stages_;
    if (i < all.size() && all[i].name() == name) return &all[i];
    const auto found = std::ranges::find(all, name, &stage_report::name);
    return found == all.end() ? nullptr : &*found;
  };
  bool same_run = stages_.empty() || earlier.stages_.empty();
  const auto difference = [](auto now, auto before) { return now > before ? now - before : decltype(now){}; };
  report_data window = data_;
  window.elapsed = difference(elapsed(), earlier.elapsed());
  window.cpu = difference(cpu_time(), earlier.cpu_time());
  window.paused = difference(paused(), earlier.paused());
  window.items = difference(items(), earlier.items());
  window.dropped = difference(dropped(), earlier.dropped());
  window.work = data_.work.since(earlier.data_.work);
  window.latency = latency_report(latency().histogram().since(earlier.latency().histogram()),
                                  latency().from_due(), latency().sampled());
  for (std::size_t i = 0; i != stages_.size(); ++i) {
    stage_data s = stages_[i].data();
    if (const auto* const before = before_of(i)) {
      same_run = true;
      s.totals = s.totals.since(before->data().totals);
      s.shares = s.shares.since(before->data().shares);
      s.latency = thalweg::since(s.latency, before->data().latency);
    }
    window.stages.push_back(std::move(s));
  }
  if (!same_run) {
    throw std::invalid_argument("report::since: the reports are not of the same run, their stages differ");
  }
  for (auto& r : window.ranks) {
    const auto before = std::ranges::find(earlier.ranks(), r.rank, &rank_report::rank);
    if (before == earlier.ranks().end()) continue;
    r.cpu = difference(r.cpu, before->cpu);
    r.messages = difference(r.messages, before->messages);
    r.bytes = difference(r.bytes, before->bytes);
    r.credits = difference(r.credits, before->credits);
    r.others = difference(r.others, before->others);
  }
  for (auto& c : window.channels) {
    const auto before = std::ranges::find_if(earlier.channels(),
                                             [&](const auto& b) { return b.from == c.from && b.to == c.to; });
    if (before == earlier.channels().end()) continue;
    c.messages = difference(c.messages, before->messages);
    c.items = difference(c.items, before->items);
    c.bytes = difference(c.bytes, before->bytes);
    c.credits = difference(c.credits, before->credits);
    c.blocked = difference(c.blocked, before->blocked);
  }
  const auto is_earlier = [&](const auto& change) { return change.at < earlier.elapsed(); };
  std::erase_if(window.resizes, is_earlier);
  std::erase_if(window.rate_changes, is_earlier);
  std::erase_if(window.batch_changes, is_earlier);
  std::erase_if(window.decisions, is_earlier);
  return report(std::move(window));
}

std::string report::to_json() const {
  std::string text;
  observe::json_writer json(text);
  json.begin_object();
  json.member("policy", policy()).member("workers", workers()).member("cores", cores());
  json.member("final", final()).member("observed", observed()).member("inlined", data_.inlined);
  json.member("items", items()).member("dropped", dropped()).member("throughput", throughput());
  json.member("elapsed_ns", elapsed().count()).member("paused_ns", paused().count());
  json.member("cpu_ns", cpu_time().count()).member("cores_used", cores_used());
  json.member("parallelism", parallelism());
  json.key("work").begin_object();
  json.member("busy_ns", data_.work.busy_ns).member("idle_ns", data_.work.idle_ns);
  json.member("parks", data_.work.parks).member("wakes", data_.work.wakes).end_object();
  write(json, latency());
  json.key("stages").begin_array();
  for (const stage_report& s : stages_) write(json, s);
  json.end_array();
  observe::write_changes(json, *this);
  observe::write_decisions(json, *this);
  if (!ranks().empty()) {
    json.key("ranks").begin_array();
    for (const auto& r : ranks()) write(json, r);
    json.end_array().key("channels").begin_array();
    for (const auto& c : channels()) write(json, c);
    json.end_array();
  }
  json.key("notes").begin_array();
  for (const std::string& note : notes()) json.value(note);
  json.end_array();
  const bottleneck_report limit = bottleneck();
  json.key("bottleneck").begin_object();
  json.member("stage", limit.stage).member("reason", thalweg::to_string(limit.reason));
  json.member("utilisation", limit.utilisation).member("possible_gain", limit.possible_gain);
  json.member("advice", limit.advice).end_object();
  json.end_object();
  return text;
}

void report::print(std::ostream& out) const {
  out << to_string();
}

std::ostream& operator<<(std::ostream& out, const report& r) {
  r.print(out);
  return out;
}

}  // namespace THALWEG_NAMESPACE
