// The report as people read it.
#include <thalweg/observe/report.hpp>
#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <concepts>
#include <span>

namespace THALWEG_NAMESPACE {

namespace {

using observe::count_text;
using observe::duration_text;
using observe::joined;
using observe::number_text;
using observe::percent_text;
using observe::printable;

std::string duration_of(std::chrono::nanoseconds t) {
  return duration_text(static_cast<double>(t.count()));
}

template <std::integral Count> std::string plural(Count n, std::string_view word) {
  return joined({count_text(static_cast<std::uint64_t>(n)), " ", word, n == 1 ? "" : "s"});
}

std::string level_text(const level_report& level) {
  if (level.max == 0) return {};
  return joined({number_text(level.mean), " / ", count_text(level.max), level.capacity != 0 ? " of " : "",
                 level.capacity != 0 ? count_text(level.capacity) : ""});
}

std::string nonzero(std::uint64_t n) {
  return n == 0 ? std::string() : count_text(n);
}

std::string wait_text(std::chrono::nanoseconds waited, const stage_report& s,
                      std::chrono::nanoseconds active) {
  if (waited.count() == 0 || active.count() <= 0) return {};
  return percent_text(static_cast<double>(waited.count()) /
                      (static_cast<double>(active.count()) * s.replicas()));
}

// `0-2, 5` of rising numbers.
std::string spans_text(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    const auto first = i++;
    while (i < numbers.size() && numbers[i] == numbers[i - 1] + 1) ++i;
    text += joined({text.empty() ? "" : ", ", std::to_string(numbers[first])});
    if (i - first > 1) text += joined({"-", std::to_string(numbers[i - 1])});
  }
  return text;
}

// Where an idle replica takes the next item it says nothing.
std::string skew_text(const stage_report& s) {
  const bool fixed = s.data().dealt || s.divided_by() == observe::division::rank;
  return fixed && s.skew() > 0 ? joined({observe::fixed_text(s.skew(), 1), "x"}) : std::string();
}

// A row for each of a thousand ranks would hide the rest of the report; JSON has them all.
constexpr std::size_t most_rows = 32;

std::string clock_text(const rank_report& r) {
  if (r.clock_off.count() == 0) return {};  // the clock of rank 0
  const auto behind = r.clock.count() < 0;
  return joined(
      {behind ? "-" : "", duration_of(behind ? -r.clock : r.clock), " ± ", duration_of(r.clock_off)});
}

std::string rank_table(const report& r) {
  observe::text_table table;
  table.add_column("rank");
  table.add_column("host", observe::text_table::left);
  table.add_column("workers");
  table.add_column("processor");
  table.add_column("peak memory");
  table.add_column("messages");
  table.add_column("bytes");
  table.add_column("credits");
  table.add_column("others");
  table.add_column("clock ahead");
  table.add_column("joined after");
  table.add_column("age");
  const auto rows = std::min(r.ranks().size(), most_rows);
  for (const rank_report& one : std::span(r.ranks()).first(rows)) {
    table.add_row({std::to_string(one.rank), one.host, std::to_string(one.workers), duration_of(one.cpu),
                   observe::size_text(one.peak_bytes), count_text(one.messages),
                   observe::size_text(one.bytes), count_text(one.credits), count_text(one.others),
                   clock_text(one), one.joined.count() == 0 ? std::string() : duration_of(one.joined),
                   one.age.count() == 0 ? std::string() : duration_of(one.age)});
  }
  const auto more = r.ranks().size() - rows;
  return table.to_string("  ") +
         (more == 0 ? std::string() : joined({"  and ", plural(more, "more rank"), "\n"}));
}

std::string channel_table(const report& r) {
  observe::text_table table;
  table.add_column("from", observe::text_table::left);
  table.add_column("to", observe::text_table::left);
  table.add_column("messages");
  table.add_column("items");
  table.add_column("bytes");
  table.add_column("credits");
  table.add_column("no credit for");
  for (const channel_report& c : r.channels()) {
    table.add_row({c.from, c.to, count_text(c.messages), count_text(c.items), observe::size_text(c.bytes),
                   count_text(c.credits), c.blocked.count() == 0 ? "" : duration_of(c.blocked)});
  }
  return table.to_string("  ");
}

std::string stage_table(const report& r) {
  const auto active = r.elapsed() - r.paused();
  observe::text_table table;
  table.add_column("stage", observe::text_table::left);
  table.add_column("kind", observe::text_table::left);
  table.add_column("in");
  table.add_column("out");
  table.add_column("time/item");
  table.add_column("at work");
  table.add_column("skew");
  table.add_column("waits in");
  table.add_column("waits out");
  table.add_column("in pipe");
  table.add_column("reordering");
  table.add_column("displaced");
  table.add_column("errors");
  table.add_column("retries");
  table.add_column("skipped");
  table.add_column("dead letters");
  table.add_column("dropped");
  table.add_column("ranks", observe::text_table::left);
  for (const stage_report& s : r.stages()) {
    table.add_row({
        s.name(),
        s.kind(),
        s.is_source() ? "" : count_text(s.items_in()),
        s.is_sink() ? "" : count_text(s.items_out()),
        !s.timed() ? "" : joined({s.service_sampled() ? "~" : "", duration_text(s.service_time().count())}),
        !s.timed() ? ""
                   : joined({observe::fixed_text(s.parallelism(), 2), " of ", std::to_string(s.replicas())}),
        skew_text(s),
        wait_text(s.waited_for_input(), s, active),
        wait_text(s.waited_for_output(), s, active),
        level_text(s.occupancy()),
        level_text(s.reorder()),
        level_text(s.displacement()),
        nonzero(s.errors()),
        nonzero(s.retries()),
        nonzero(s.skipped()),
        nonzero(s.dead_lettered()),
        nonzero(s.dropped()),
        spans_text(s.ranks()),
    });
  }
  return table.to_string("  ");
}

std::string latency_line(const latency_report& l) {
  if (l.count() == 0) return "not measured";
  return joined({"p50 ", duration_of(l.p50()), ", p90 ", duration_of(l.p90()), ", p99 ", duration_of(l.p99()),
                 ", p99.9 ", duration_of(l.p999()), ", p99.99 ", duration_of(l.p9999()), ", max ",
                 duration_of(l.max()), l.from_due() ? " (from the due time, " : " (from the source, ",
                 l.sampled() ? "a sample of " : "", plural(l.count(), "item"), ")"});
}

}  // namespace

std::string report::to_string() const {
  const std::string indent = "\n  ";
  std::string text =
      observed()
          ? joined({plural(items(), "item"), " in ", duration_of(elapsed()), ", ",
                    observe::rate_text(throughput()), final() ? "" : " (still running)"})
          : joined({"not observed", final() ? ", ran for " : ", running for ", duration_of(elapsed())});
  text +=
      joined({indent, "policy   ", policy().empty() ? "unnamed" : printable(policy()), ", ",
              plural(workers(), "worker"), " on ", plural(cores(), "core"),
              data_.inlined && workers() > 1 ? ", inline: the work per item is too small to hand over" : ""});
  text += joined({indent, "used     ", number_text(cores_used()), " cores, ", duration_of(cpu_time()),
                  " of processor time"});
  if (observed()) text += joined({indent, "latency  ", latency_line(latency())});
  const auto sinks =
      std::ranges::count_if(stages_, [](const auto& s) { return s.data().latency != nullptr; });
  for (const stage_report& s : stages_) {
    if (sinks > 1 && s.data().latency)
      text += joined({indent, "latency  of ", printable(s.name()), ": ", latency_line(s.latency())});
  }
  if (paused().count() != 0) text += joined({indent, "paused   ", duration_of(paused())});
  if (dropped() != 0) text += joined({indent, "dropped  ", plural(dropped(), "item")});
  for (const resize_event& e : resizes()) {
    text += joined({indent, "resized  ", printable(e.stage), " from ", std::to_string(e.from), " to ",
                    std::to_string(e.to), " replicas after ", duration_of(e.at)});
  }
  for (const rate_change& c : rate_changes()) {
    text += joined({indent, "rate     of ", printable(c.stage), " from ", observe::rate_text(c.from), " to ",
                    observe::rate_text(c.to), " after ", duration_of(c.at)});
  }
  for (const batch_change& c : batch_changes()) {
    text += joined({indent, "batch    of ", printable(c.stage), " from ", thalweg::to_string(c.from), " to ",
                    thalweg::to_string(c.to), " after ", duration_of(c.at)});
  }
  for (const decision& d : decisions()) {
    text += joined({indent, "decided  ", printable(d.what), " after ", duration_of(d.at), " (",
                    printable(d.planner), "): ", printable(d.reason)});
  }
  for (const std::string& note : notes()) text += joined({indent, "note     ", printable(note)});
  text += '\n';
  if (!observed()) return text;
  if (!stages_.empty()) text += joined({"\n", stage_table(*this)});
  if (std::ranges::any_of(stages_, &stage_report::service_sampled))
    text += "  ~ timed on a sample of the items\n";
  if (!ranks().empty()) text += joined({"\n", rank_table(*this)});
  if (!channels().empty()) text += joined({"\n", channel_table(*this)});
  const bottleneck_report limit = bottleneck();
  text += joined({indent, "Limit: ", thalweg::to_string(limit.reason)});
  if (!limit.stage.empty()) text += joined({" (", printable(limit.stage), ")"});
  return text += joined({". ", printable(limit.advice), "\n"});
}

}  // namespace THALWEG_NAMESPACE
