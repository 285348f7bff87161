// What limits a run. Everything rests on one comparison: the time that stages were busy against the time they
// could have been. A stage, a set of workers or a machine that is busy nearly all the time is what the rest
// waits for. Where nothing is, the reason lies outside (a schedule) or between the stages (handing over,
// order).
#include <thalweg/observe/report.hpp>
#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

namespace {

using observe::duration_text;
using observe::joined;
using observe::number_text;
using observe::percent_text;

// Nothing is ever busy all the time: runs start and end, and threads take turns.
constexpr double saturated = 0.85;

double in_ns(std::chrono::nanoseconds t) {
  return static_cast<double>(t.count());
}

std::string quoted(const std::string& name) {
  return joined({"'", name, "'"});
}

std::string count_of(double n, std::string_view noun) {
  return joined({number_text(n, 2), " ", noun, n == 1 ? "" : "s"});
}

// Stages that never run at once: their times add up, and together they have one limit.
struct part {
  std::vector<const stage_report*> stages;
  double busy = 0;    // nanoseconds of all its replicas, as if each had a core for itself
  double waited = 0;  // nanoseconds of all its replicas
  int replicas = std::numeric_limits<int>::max();
  double at_once = 1;  // replicas that can really work at the same time
  bool blocking = false;
  observe::stage_shares shares;  // where an item cannot go to another one
  double busiest = 0;            // nanoseconds of the busiest of these

  const stage_report& main() const { return **std::ranges::max_element(stages, {}, &stage_report::busy); }
};

// The shortest time in which `replicas` do its work: no other can help the busiest share.
double time_with(const part& p, double replicas) {
  return std::max(p.busy / replicas, p.busiest);
}

double least_time(const part& p) {
  return time_with(p, p.at_once);
}

// A run cannot be shorter than `time`, because of what `holder` says.
struct bound {
  double time = 0;
  std::string holder;
};

class diagnosis {
 public:
  diagnosis(const report& r, const observe::worker_totals& work, bool inlined)
      : report_(r),
        inlined_(inlined),
        time_(in_ns(r.elapsed() - r.paused())),
        workers_(std::max(1, r.workers())),
        cores_(std::max(1, r.cores())),
        usable_(std::min(workers_, cores_)),
        within_reach_(workers_ == 1 ? cores_ : usable_),
        worker_time_(static_cast<double>(work.busy_ns)) {
    gather_parts();
    leave_out_blocked_time();
    discount_crowding();
    discount_other_programs();
  }

  bottleneck_report result() const {
    if (time_ <= 0 || parts_.empty() || top().busy <= 0) {
      return {{}, limited_by::unknown, "Too little was measured to tell what limits the run.", 0, 1};
    }
    bottleneck_report verdict = limit();
    verdict.advice += note_;
    return verdict;
  }

 private:
  bottleneck_report limit() const {
    if (utilisation(top()) >= saturated) return saturated_part(top());
    if (const stage_report* source = source_with_time_to_spare()) return keeps_up(*source);
    if (runs_inline()) return grain(inline_text());
    if (busy_ >= saturated * time_ * usable_) return workers_ < cores_ ? too_few_workers() : machine();
    if (overhead_dominates()) return grain(overhead_text());
    if (machine_is_full()) return machine();
    if (const stage_report* farm = held_back_by_order()) return order(*farm);
    if (const part* p = never_waits()) {
      if (utilisation(*p) >= 0.5) return saturated_part(*p);
      if (is_overhead(time_ * p->replicas - p->busy, p->main().items())) return grain(overhead_text());
    }
    return nothing_stands_out();
  }

  void gather_parts() {
    for (const stage_report& s : report_.stages()) {
      const int segment = workers_ > 1 ? s.data().segment : -1;  // one worker takes all in turns anyway
      const auto same = std::ranges::find_if(
          parts_, [&](const part& p) { return segment >= 0 && p.stages.front()->data().segment == segment; });
      part& p = same != parts_.end() ? *same : parts_.emplace_back();
      p.stages.push_back(&s);
      p.busy += in_ns(s.busy());
      p.waited += in_ns(s.waited_for_input() + s.waited_for_output());
      p.replicas = std::min(p.replicas, std::max(1, s.replicas()));
      p.blocking = p.blocking || s.data().blocking;
      if (s.data().dealt && s.divided_by() != observe::division::rank) add_shares(p.shares, s.data().shares);
    }
    for (part& p : parts_) {
      for (const auto& one : p.shares.all)
        p.busiest = std::max(p.busiest, static_cast<double>(one.busy_ns()));
      p.busiest = std::min(p.busiest, p.busy);
      if (!p.blocking) busy_ += p.busy;
      p.at_once = p.blocking ? p.replicas : std::min(p.replicas, workers_);
    }
  }

  // Replicas go through all stages of a part, so their times add up.
  static void add_shares(observe::stage_shares& to, const observe::stage_shares& more) {
    to.by = more.by;
    for (const auto& one : more.all) {
      auto& sum = to.at(one.number);
      sum.service_ns += one.busy_ns();
      sum.sampled_items = sum.items = std::max(sum.items, one.items);
    }
  }

  // A thread in a stage that waits for the outside needs no core: it is not at work.
  void leave_out_blocked_time() {
    for (const part& p : parts_) {
      if (p.blocking) blocked_ += p.busy;
    }
    worker_time_ = std::max(0.0, worker_time_ - blocked_);
  }

  // With more threads ready than cores, an operator's time on the clock includes waiting for a core. Only the
  // processor time is work.
  void discount_crowding() {
    const double cpu = in_ns(report_.cpu_time());
    if (!machine_is_full() || busy_ <= cpu) return;
    for (part& p : parts_) {
      if (p.blocking) continue;
      p.busy *= cpu / busy_;
      p.busiest *= cpu / busy_;
    }
    busy_ = cpu;
  }

  // Workers that were always at work but did not get their cores all the time are measured on what they got:
  // at least the processor time, or the work known to be done if more (on the clock, it includes what was
  // lost).
  void discount_other_programs() {
    const double wanted = time_ * usable_;
    const double cpu = in_ns(report_.cpu_time());
    if (cpu <= 0 || std::max(worker_time_, busy_) < saturated * wanted) return;
    if (cpu < 0.75 * wanted) {
      note_ = joined({" But the workers got only ", number_text(report_.cores_used(), 2), " of ",
                      count_of(usable_, "core"),
                      ": other programs used the machine, or stages that are not marked .blocking ",
                      "waited for something outside (mark them)."});
    }
    time_ *= std::min(1.0, std::max(cpu, busy_) / wanted);
  }

  // The part that would take longest if it had to do its work alone.
  const part& top() const { return *std::ranges::max_element(parts_, {}, least_time); }

  // Of those that keep cores busy, if there are any.
  const part& most_work() const {
    return *std::ranges::max_element(
        parts_, {}, [](const part& p) { return std::pair(!p.blocking && p.busy > 0, p.busy); });
  }

  double utilisation(const part& p) const { return std::min(1.0, least_time(p) / time_); }

  bool machine_is_full() const { return in_ns(report_.cpu_time()) >= saturated * time_ * cores_; }

  // The shortest run if each part took `time_of(part)` and `work` were spread over `processors`.
  template <class TimeOf>
  static bound shortest(const std::vector<part>& parts, TimeOf time_of, double work, int processors) {
    bound b{work / processors, "all the cores it may use are busy"};
    for (const part& p : parts) {
      if (const double time = time_of(p); time > b.time) b = {time, quoted(p.main().name()) + " limits"};
    }
    return b;
  }

  bound shortest_as_it_is() const { return shortest(parts_, least_time, busy_, usable_); }

  double gain(const bound& b) const { return b.time > 0 ? std::max(1.0, time_ / b.time) : 1.0; }

  std::string gain_text(const bound& b) const {
    if (b.time <= 0) return {};
    if (gain(b) < 1.05) return joined({" That would gain little, as then ", b.holder, "."});
    return joined(
        {" That makes it at most ", number_text(gain(b), 2), " times faster, until ", b.holder, "."});
  }

  bottleneck_report saturated_part(const part& p) const {
    if (p.replicas == 1 && !p.main().data().farm)
      return p.main().is_source() || p.main().is_sink() ? end_of_stream(p) : serial_stage(p);
    if (p.busiest > 1.05 * p.busy / p.at_once)
      return busy_ >= saturated * time_ * cores_ ? machine() : skew(p);
    if (p.blocking) return too_few_replicas(p, 2 * p.replicas);
    if (p.at_once >= cores_) return machine();
    if (p.replicas >= workers_) return too_few_workers();
    return too_few_replicas(p, usable_);
  }

  // The busiest share takes longer than if all replicas had the same.
  bottleneck_report skew(const part& p) const {
    const bound b = shortest(
        parts_, [&](const part& other) { return &other == &p ? p.busy / p.at_once : least_time(other); },
        busy_, usable_);
    const std::string name = quoted(p.main().name());
    const std::string share = percent_text(p.busiest / p.busy);
    const bool keys = p.shares.by == observe::division::key_part;
    return {p.main().name(), limited_by::skew,
            joined({"One of ", std::to_string(p.replicas), " replicas of ", name, " does ", share,
                    " of the work and is busy ", percent_text(utilisation(p)), " of the time: ",
                    keys ? "the keys are uneven. More replicas do not help: divide the key with the most "
                           "work into several, and put their results together behind the stage."
                         : "its .schedule deals the items unevenly. More replicas do not help: let an "
                           "idle replica take the next item (no .schedule), or deal them in another way.",
                    gain_text(b)}),
            utilisation(p), gain(b)};
  }

  std::string busy_text(const part& p) const {
    std::string text = quoted(p.main().name());
    std::string_view separator = ", fused with ";
    for (const stage_report* s : p.stages) {
      if (s == &p.main()) continue;
      text += joined({separator, quoted(s->name())});
      separator = " and ";
    }
    return text += joined({p.stages.size() > 1 ? ", is busy " : " is busy ", percent_text(utilisation(p)),
                           " of the time"});
  }

  // One worker is the choice of a policy, so what could be gained is counted with all cores.
  std::string_view policy_text() const {
    return workers_ == 1 && cores_ > 1 ? " Run with a policy that uses all cores, such as pool." : "";
  }

  bottleneck_report end_of_stream(const part& p) const {
    const stage_report& s = p.main();
    const double rest = p.busy - in_ns(s.busy());
    const bound b = shortest(
        parts_, [&](const part& other) { return &other == &p ? rest / p.at_once : least_time(other); },
        busy_ - (p.blocking ? 0 : in_ns(s.busy())), within_reach_);
    const std::string_view help =
        s.is_source()
            ? "Make it faster (read ahead, in larger pieces), divide the input among several sources, or "
              "move work from it into a farm."
            : "Make it faster (write in larger pieces, through a buffer), or move work from it into a farm "
              "before it.";
    return {s.name(), s.is_source() ? limited_by::source : limited_by::sink,
            joined({busy_text(p), "; the rest waits for it. ", help, policy_text(), gain_text(b)}),
            utilisation(p), gain(b)};
  }

  bottleneck_report serial_stage(const part& p) const {
    // Replicas that wait for the outside need no cores.
    const double replicas = p.blocking ? std::max(2, within_reach_) : within_reach_;
    const bound b = shortest(
        parts_, [&](const part& other) { return time_with(other, &other == &p ? replicas : other.at_once); },
        busy_, within_reach_);
    return {p.main().name(), limited_by::serial_stage,
            joined({busy_text(p),
                    " and takes one item at a time. Make it a farm if its operator allows, or divide it "
                    "into several stages.",
                    policy_text(), gain_text(b)}),
            utilisation(p), gain(b)};
  }

  bottleneck_report too_few_replicas(const part& p, int better) const {
    const bound b = shortest(
        parts_, [&](const part& other) { return time_with(other, &other == &p ? better : other.at_once); },
        busy_, usable_);
    return {p.main().name(), limited_by::replicas,
            joined({p.replicas == 1 ? "The only replica of "
                                    : joined({"All ", std::to_string(p.replicas), " replicas of "}),
                    quoted(p.main().name()), p.replicas == 1 ? " is busy " : " are busy ",
                    percent_text(utilisation(p)), " of the time. Allow more, such as .replicas = ",
                    std::to_string(better), ".", gain_text(b)}),
            utilisation(p), gain(b)};
  }

  bottleneck_report too_few_workers() const {
    const bound b = shortest(
        parts_,
        [&](const part& p) { return time_with(p, p.blocking ? p.replicas : std::min(p.replicas, cores_)); },
        busy_, cores_);
    return {most_work().main().name(), limited_by::workers,
            joined({workers_ == 1 ? "The only worker is busy"
                                  : joined({"All ", std::to_string(workers_), " workers are busy"}),
                    ", and the machine has ", count_of(cores_, "core"), ".",
                    workers_ == 1 ? policy_text() : " Allow more workers.", gain_text(b)}),
            std::min(1.0, busy_ / (time_ * workers_)), gain(b)};
  }

  bottleneck_report machine() const {
    const double cpu = in_ns(report_.cpu_time());
    const bound b = shortest(
        parts_, [](const part& p) { return time_with(p, p.replicas); }, 0, cores_);
    const double used = std::min(1.0, std::max(busy_, cpu) / (time_ * cores_));
    // Otherwise what keeps the cores busy is not known: it may be a stage that is marked .blocking.
    const bool known = busy_ >= 0.5 * cpu;
    const part& most = known ? most_work() : *std::ranges::max_element(parts_, {}, &part::busy);
    const std::string name = most.main().name();
    const std::string share =
        known ? joined({", ", percent_text(most.busy / busy_), " of the work in ", quoted(name)}) : "";
    return {name, limited_by::machine,
            joined({who_is_busy(), share, ".",
                    note_.empty() ? " Only less work per item or more cores would help." : ""}),
            used, gain(b)};
  }

  // Workers that did not get their cores were at work, but the cores may have idled.
  std::string who_is_busy() const {
    const int n = note_.empty() ? cores_ : workers_;
    const char* what = note_.empty() ? "core" : "worker";
    return n == 1 ? joined({"The ", what, " is busy"})
                  : joined({"All ", std::to_string(n), " ", what, "s are busy"});
  }

  // A paced source that waits for its due times is not late, so nothing behind it is too slow.
  const stage_report* source_with_time_to_spare() const {
    const auto found = std::ranges::find_if(report_.stages(), [&](const stage_report& s) {
      return s.is_source() && s.data().paced && in_ns(s.waited_for_input()) >= 0.05 * time_;
    });
    return found == report_.stages().end() ? nullptr : &*found;
  }

  bottleneck_report keeps_up(const stage_report& source) const {
    const bound b = shortest_as_it_is();
    return {source.name(), limited_by::schedule,
            joined({"Nothing is too slow: the stream keeps up with the schedule of ", quoted(source.name()),
                    ". It could take at most ", number_text(gain(b), 2), " times the load, until ", b.holder,
                    "."}),
            utilisation(top()), 1};
  }

  std::string work_per_item() const {
    return report_.items() == 0 ? "none" : duration_text(busy_ / static_cast<double>(report_.items()));
  }

  bool runs_inline() const {
    return inlined_ && workers_ > 1 && busy_ <= 1.1 * time_ &&
           busy_ <= 1'000.0 * static_cast<double>(report_.items());
  }

  std::string inline_text() const {
    return joined(
        {"The work per item (", work_per_item(),
         ") costs less than handing an item to another worker, so one worker does it all. Larger items would "
         "give work to more cores: put several into one (batch)."});
  }

  std::string overhead_text() const {
    const bool pool = report_.policy().starts_with("pool");
    return joined({"Most of the time goes into handing items over, not into the stages: the work per item (",
                   work_per_item(), ") is small. Put several items into one (batch)",
                   pool ? " or have fewer stages."
                        : ", have fewer stages, or use the pool policy, which runs small work inline."});
  }

  // Handing an item over costs microseconds at most; time that nobody can explain may be longer.
  static bool is_overhead(double unexplained, std::uint64_t items) {
    return items != 0 && unexplained / static_cast<double>(items) <= 5'000;
  }

  bool overhead_dominates() const {
    const double cpu = in_ns(report_.cpu_time());
    // What blocking stages do may be work as well.
    const double known = busy_ + blocked_;
    const bool cores_full_of_it = machine_is_full() && known < 0.5 * time_ * cores_;
    const bool workers_full_of_it =
        worker_time_ >= saturated * time_ * workers_ && busy_ < 0.5 * time_ * usable_;
    return (cores_full_of_it && is_overhead(cpu - known, report_.items())) ||
           (workers_full_of_it && is_overhead(time_ * usable_ - busy_, report_.items()));
  }

  bottleneck_report grain(std::string advice) const {
    return {most_work().main().name(), limited_by::grain, std::move(advice),
            std::min(1.0, busy_ / (time_ * usable_)), gain(shortest_as_it_is())};
  }

  static double fill_of_window(const stage_report& s) {
    const level_report window = s.reorder();
    return window.capacity == 0 ? 0 : window.mean / static_cast<double>(window.capacity);
  }

  const stage_report* held_back_by_order() const {
    const auto fullest = std::ranges::max_element(report_.stages(), {}, fill_of_window);
    return fill_of_window(*fullest) >= 0.7 ? &*fullest : nullptr;
  }

  bottleneck_report order(const stage_report& s) const {
    const bound b = shortest_as_it_is();
    return {
        s.name(), limited_by::order,
        joined({"Finished items of ", quoted(s.name()),
                " wait for slow ones before them: the reorder window is ", percent_text(fill_of_window(s)),
                " full on average. Give up the order (.unordered = true) if ",
                "the result allows it, or divide the slow items.", gain_text(b)}),
        fill_of_window(s), gain(b)};
  }

  // Where waiting is counted, what hardly ever waits is what the others wait for, even if the time of its
  // operator does not explain it.
  const part* never_waits() const {
    if (std::ranges::none_of(parts_, [](const part& p) { return p.waited > 0; })) return nullptr;
    const auto share = [&](const part& p) { return p.waited / (time_ * p.replicas); };
    const auto least = std::ranges::min_element(parts_, {}, share);
    return share(*least) <= 1 - saturated ? &*least : nullptr;
  }

  bottleneck_report nothing_stands_out() const {
    return {
        top().main().name(), limited_by::unknown,
        joined(
            {"Nothing was busy all the time, ", quoted(top().main().name()), " the most with ",
             percent_text(utilisation(top())),
             ". The run may have been short, the machine busy with other programs, or the pipes too short."}),
        utilisation(top()), 1};
  }

  const report& report_;
  bool inlined_;
  double time_;  // nanoseconds in which the run was active
  int workers_;
  int cores_;
  int usable_;        // cores that the workers can use
  int within_reach_;  // and those they could use under another policy
  double worker_time_;
  double busy_ = 0;     // nanoseconds of all parts that need a core to be busy
  double blocked_ = 0;  // and of the others
  std::vector<part> parts_;
  std::string note_;  // on what disturbed the measurement
};

}  // namespace

bottleneck_report report::bottleneck() const {
  if (!observed()) {
    bottleneck_report nothing;
    nothing.advice = "Nothing was counted. Run it without .observe = false.";
    return nothing;
  }
  return diagnosis(*this, data_.work, data_.inlined).result();
}

}  // namespace THALWEG_NAMESPACE
