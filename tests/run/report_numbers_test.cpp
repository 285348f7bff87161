// The numbers of a report are true. Operators write down what they do: how often they are called, what they
// send, how long it takes (`tally`). When the run is over, the report's counts must be the same, and its
// times about so, wherever the stage is, whoever executes it, and however seldom it is timed.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sched.h>

#include "support/eventually.hpp"
#include "support/failure.hpp"
#include "support/ledger.hpp"
#include "support/scale.hpp"
#include "support/work.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;

namespace {

// --- comparing ---

/// A stage and what it has written down.
struct stage_tally {
  std::string name;
  const tally* of;
};

/// What cannot be under any policy.
std::string impossible_numbers(const tw::report& r) {
  std::ostringstream text;
  for (const auto& s : r.stages()) {
    if (s.parallelism() > s.replicas() * 1.001)
      text << s.name() << " is at work " << s.parallelism() << " of " << s.replicas() << "; ";
    const auto waits = s.occupancy();
    if (waits.capacity != 0 && waits.max > waits.capacity)
      text << s.name() << " has " << waits.max << " of " << waits.capacity << " in its pipe; ";
    if (waits.mean > static_cast<double>(waits.max))
      text << s.name() << " has " << waits.mean << " in its pipe on average, and " << waits.max
           << " at most; ";
  }
  return text.str();
}

/// Where the counts of a report differ from those that the operators kept.
std::string wrong_counts(const tw::report& r, const std::vector<stage_tally>& stages) {
  std::ostringstream text;
  std::uint64_t sunk = 0;
  for (const auto& [name, t] : stages) {
    const auto& s = r.stage(name);
    const auto expect = [&](std::string_view what, std::uint64_t told, std::uint64_t true_one) {
      if (told != true_one)
        text << name << " reports " << told << " items " << what << ", not " << true_one << "; ";
    };
    if (!s.is_source()) expect("in", s.items_in(), t->calls());
    if (!s.is_sink()) expect("out", s.items_out(), t->sent());
    if (s.is_sink()) sunk += t->calls();
  }
  if (r.items() != sunk) text << "items() is " << r.items() << ", not " << sunk << "; ";
  text << impossible_numbers(r);
  return text.str();
}

/// The time per item is within a wide factor of that which the operator took, or the report says that it is
/// not known.
///
/// Around what an operator measures itself are its clock's and its counters' own costs, those of a call for a
/// single item, and now and then another program. A sample need not have met what made the mean larger than
/// the median: then anything in between will do. Of a stage that hardly matters it need not be known how
/// little it took.
std::string wrong_times(const tw::report& r, const std::vector<stage_tally>& stages) {
  constexpr double factor = 3;
  constexpr double own_costs = 3'000;
  // In all: a thread that wakes another one, or that has used up its share, may lose its core just then.
  const double interruptions = 5'000'000 + static_cast<double>(r.elapsed().count()) / 2;
  double all = 0;
  for (const auto& [name, t] : stages) all += static_cast<double>(t->time().count());
  std::ostringstream text;
  for (const auto& [name, t] : stages) {
    const auto& s = r.stage(name);
    if (s.is_source() || !s.timed() || t->returned() == 0) continue;
    const double told = s.service_time().count();
    const bool matters = static_cast<double>(t->time().count()) > 0.02 * all;
    const double least =
        matters ? (s.service_sampled() ? std::min(t->mean(), t->median()) : t->mean()) / factor : 0;
    const double most = std::max(t->mean(), t->median()) * factor + own_costs +
                        interruptions / static_cast<double>(t->returned());
    if (told < least || told > most)
      text << name << " reports " << told << " ns per item" << (s.service_sampled() ? " (sampled)" : "")
           << ", not " << t->mean() << " (median about " << t->median() << ", " << t->calls() << " calls); ";
  }
  return text.str();
}

/// What is called the bottleneck is a stage that was at work about as long as any: all in all, or for each of
/// those that may be at work at once.
std::string wrong_bottleneck(const tw::report& r, const std::vector<stage_tally>& stages) {
  constexpr double factor = 2.5;
  constexpr double interruption = 5'000'000;  // a thread may lose its core for as long
  const auto named = r.bottleneck();
  if (named.reason == tw::limited_by::order) return {};  // it is what the others wait for that is slow
  double most = 0;
  double most_at_once = 0;
  double its = static_cast<double>(r.elapsed().count());  // if nobody has kept its time: what is left
  for (const auto& [name, t] : stages) its -= std::min(its, static_cast<double>(t->time().count()));
  double its_at_once = its;
  for (const auto& [name, t] : stages) {
    const auto all = static_cast<double>(t->time().count());
    const double each = all / std::max(1, std::min(r.stage(name).replicas(), r.workers()));
    most = std::max(most, all);
    most_at_once = std::max(most_at_once, each);
    if (r.stage(name).name() == named.stage) {
      its = all;
      its_at_once = each;
    }
  }
  if (most < 0.3 * static_cast<double>(r.elapsed().count())) return {};  // none of them matters
  if (factor * its >= most - interruption || factor * its_at_once >= most_at_once - interruption) return {};
  std::ostringstream text;
  text << "the bottleneck is said to be '" << named.stage << "' (" << tw::to_string(named.reason)
       << "), which took " << its / 1e6 << " ms, another one " << most / 1e6 << " ms; ";
  return text.str();
}

/// Counts must be right at once. Times may be spoilt by other programs: then they must be right in nearly all
/// of some more runs, since a wrong way of measuring may be right by luck.
template <class Run> std::string wrong_in_the_end(Run&& attempt) {
  std::string times;
  int wrong = 0;
  for (int i = 0; i < 4; ++i) {
    const auto [counts, others] = attempt();
    if (!counts.empty()) return counts;
    if (!others.empty()) {
      times = others;
      ++wrong;
    }
    if (wrong == 0) return {};
    if (wrong > 2) return times;
  }
  return wrong > 2 ? times : "";
}
template <class Run> void expect_true_numbers(Run&& attempt, const std::string& where = {}) {
  const auto wrong = wrong_in_the_end(std::forward<Run>(attempt));
  EXPECT_TRUE(wrong.empty()) << where << (where.empty() ? "" : ": ") << wrong;
}

// --- jobs ---

/// Runs `front | rest`; as a graph, with a tee between the two, which has another branch with a sink of its
/// own.
template <class T, class Front, class Rest>
tw::execution launch_as(bool graph, tw::graph& g, const tw::any_policy& policy, Front front, Rest rest,
                        tally& other) {
  if (!graph) return tw::launch(std::move(front) | std::move(rest), policy);
  auto& tee = g.add<tw::tee<T>>();
  g.connect(g.add(std::move(front)).out, tee.in);
  g.connect(tee.branch(), g.add<T>(std::move(rest)).in);
  g.connect(tee.branch(),
            g.add(tw::sink([&](const T&) { other.count([] { return 0; }); }, {.name = "other"})).in);
  return tw::launch(g, policy);
}

class ReportNumbers : public testing::TestWithParam<std::tuple<std::string, bool>> {
 protected:
  static tw::any_policy policy() { return tw::policy_from(std::get<0>(GetParam())); }
  static bool graph() { return std::get<1>(GetParam()); }

  /// Runs it to its end.
  template <class T, class Front, class Rest>
  static tw::report run(Front front, Rest rest, std::vector<stage_tally>& stages, tally& other) {
    tw::graph g;
    if (graph()) stages.push_back({"other", &other});
    return launch_as<T>(graph(), g, policy(), std::move(front), std::move(rest), other).wait();
  }

  /// Lets one item of so many pass to a slow stage.
  static std::pair<std::string, std::string> wrong_behind_a_filter(long every);
};
const auto as_name = [](const auto& info) {
  std::string name = std::get<0>(info.param) + (std::get<1>(info.param) ? "_graph" : "_line");
  std::ranges::replace(name, ':', '_');
  return name;
};
INSTANTIATE_TEST_SUITE_P(policies, ReportNumbers,
                         testing::Combine(testing::Values(std::string("sequential"), std::string("pool"),
                                                          std::string("pool:4"), std::string("threads")),
                                          testing::Bool()),
                         as_name);

class ReportNumbersOfOneThread : public ReportNumbers {};
INSTANTIATE_TEST_SUITE_P(policies, ReportNumbersOfOneThread,
                         testing::Combine(testing::Values(std::string("sequential")), testing::Bool()),
                         as_name);

auto count_to(long n, tally& t) {
  return tw::source(
      [i = 0L, n, &t]() mutable {
        std::optional<long> x;
        t.count([&] {
          if (i < n) x = i++;
          return x ? 1 : 0;
        });
        return x;
      },
      {.name = "read"});
}
auto count_to(long n) {
  return tw::source([i = 0L, n]() mutable { return i < n ? std::optional(i++) : std::nullopt; },
                    {.name = "read"});
}
auto to_the_end(tally& t) {
  return tw::sink([&](long) { t.count([] { return 0; }); }, {.name = "end"});
}

/// Work that is the same for each item.
template <class T> auto works(tally& t, std::chrono::nanoseconds time) {
  return [&t, time](const T&) {
    t.count([&] {
      spin_for(time);
      return 1;
    });
    return 0L;
  };
}

std::pair<std::string, std::string> ReportNumbers::wrong_behind_a_filter(long every) {
  tally slow, end, other;
  std::vector<stage_tally> stages{{"slow", &slow}, {"end", &end}};
  const auto r = run<long>(count_to(1'000 * every),
                           tw::filter([every](long x) { return x % every == every - 1; }) |
                               tw::map(works<long>(slow, 20us), {.name = "slow"}) | to_the_end(end),
                           stages, other);
  return {wrong_counts(r, stages), wrong_times(r, stages) + wrong_bottleneck(r, stages)};
}

/// While it lives, the calling thread, and those that it starts, have one processor together.
class on_one_processor {
 public:
  on_one_processor() {
    CPU_ZERO(&before_);
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  on_one_processor(const on_one_processor&) = delete;
  on_one_processor& operator=(const on_one_processor&) = delete;
  ~on_one_processor() { sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_;
};

struct reading {
  int key;
  std::int64_t at;
};

// --- stages behind windows and filters ---

// Guards against times taken of the first item of a run: it seldom completes a window, and the stage behind
// looks as if it took no time, or all of it. A window by time gives its results all at once, for every key.
TEST_P(ReportNumbers, OfAStageBehindATimeWindow) {
  static constexpr long items = 200'000;
  for (const int keys : {1, 100, 1'000})
    EXPECT_EQ(
        wrong_in_the_end([&] {
          tally slow, end, other;
          std::vector<stage_tally> stages{{"slow", &slow}, {"end", &end}};
          const auto r = run<reading>(
              tw::source(
                  [i = 0L, keys]() mutable {
                    return i < items ? std::optional(reading{static_cast<int>(i++ % keys), i}) : std::nullopt;
                  },
                  {.name = "read"}),
              tw::key_by(&reading::key) |
                  tw::window(tw::tumbling(std::chrono::nanoseconds(10'000)), tw::count_of(),
                             tw::event_time(&reading::at), {.name = "window"}) |
                  tw::map(works<tw::keyed<int, tw::windowed<std::int64_t>>>(slow, 2us), {.name = "slow"}) |
                  to_the_end(end),
              stages, other);
          std::ostringstream counts;
          counts << wrong_counts(r, stages);
          if (r.stage("read").items_out() != items) counts << "read gave " << r.stage("read").items_out();
          if (r.stage("window").items_in() != items) counts << "window got " << r.stage("window").items_in();
          if (r.stage("window").items_out() != slow.calls())
            counts << "window gave " << r.stage("window").items_out();
          return std::pair(counts.str(), wrong_times(r, stages));
        }),
        "")
        << keys << " keys";
}

// Guards against a loop in which both are: when a window by time is over, it works on every key, much longer
// than on the items before, and the stage behind it, which works only then, looked as if that were its time.
TEST_P(ReportNumbers, OfACheapStageBehindATimeWindowOfManyKeys) {
  static constexpr int keys = 5'000;
  static constexpr long items = 100 * keys;
  expect_true_numbers([&] {
    tally cheap, end, other;
    std::vector<stage_tally> stages{{"cheap", &cheap}, {"end", &end}};
    const auto r = run<reading>(
        tw::source(
            [i = 0L]() mutable {
              return i < items ? std::optional(reading{static_cast<int>(i++ % keys), i}) : std::nullopt;
            },
            {.name = "read"}),
        tw::key_by(&reading::key) |
            tw::window(tw::tumbling(std::chrono::nanoseconds(10 * keys)), tw::count_of(),
                       tw::event_time(&reading::at), {.name = "window"}) |
            tw::map(works<tw::keyed<int, tw::windowed<std::int64_t>>>(cheap, 500ns), {.name = "cheap"}) |
            to_the_end(end),
        stages, other);
    const auto& s = r.stage("cheap");
    const double told = s.service_time().count();
    std::ostringstream times;
    // What interrupts the stage interrupts its operator for the most part, since that takes the most time.
    // Clocks take up to 200 ns.
    if (!s.timed() || told < 0.5 * cheap.mean() || told > 2 * cheap.mean() + 200)
      times << "cheap reports " << told << " ns, not " << cheap.mean();
    return std::pair(wrong_counts(r, stages), times.str());
  });
}

// By count: one item of ten completes a window. The stage behind takes nearly all the time, and is to be
// named.
TEST_P(ReportNumbers, OfAStageBehindACountWindow) {
  static constexpr long items = 100'000;
  for (const long every : {10, 64})
    expect_true_numbers(
        [&] {
          tally slow, end, other;
          std::vector<stage_tally> stages{{"slow", &slow}, {"end", &end}};
          const auto r = run<long>(
              count_to(items),
              tw::window(tw::count(every), tw::count_of(), {.name = "window"}) |
                  tw::map(works<tw::windowed<std::int64_t>>(slow, 10us), {.name = "slow"}) | to_the_end(end),
              stages, other);
          std::string counts = wrong_counts(r, stages);
          if (r.stage("window").items_out() != slow.calls()) counts += "window gave others";
          return std::pair(counts, wrong_times(r, stages) + wrong_bottleneck(r, stages));
        },
        "windows of " + std::to_string(every));
}

// Guards against samples in step with the filter.
TEST_P(ReportNumbers, OfAStageBehindAFilter) {
  for (const long every : {16, 48, 64, 65, 100})
    EXPECT_EQ(wrong_in_the_end([&] { return wrong_behind_a_filter(every); }), "") << "one item of " << every;
}

// Guards against a cheap stage that looks expensive since the thread has lost its processor while it was
// timed: one such sample stands for thousands of items.
TEST_P(ReportNumbersOfOneThread, OfAStageBehindAFilterWhileAnotherTakesTheProcessor) {
  const on_one_processor here;
  std::jthread other([](const std::stop_token& over) {
    while (!over.stop_requested()) {
    }
  });
  EXPECT_EQ(wrong_in_the_end([&] { return wrong_behind_a_filter(64); }), "");
}

// A farm whose items cost nothing at first, and then much: what was measured first is not what it took.
TEST_P(ReportNumbers, OfAFarmThatBecomesSlow) {
  static constexpr long cheap = 20'000;
  static constexpr long expensive = 400;  // more than go through the stages in one run
  expect_true_numbers([&] {
    tally slow, end, other;
    std::vector<stage_tally> stages{{"slow", &slow}, {"end", &end}};
    const auto r = run<long>(count_to(cheap + expensive),
                             tw::farm(
                                 [&](long x) {
                                   slow.count([&] {
                                     if (x >= cheap) std::this_thread::sleep_for(300us);
                                     return 1;
                                   });
                                   return x;
                                 },
                                 {.replicas = 4, .name = "slow"}) |
                                 to_the_end(end),
                             stages, other);
    return std::pair(wrong_counts(r, stages), wrong_times(r, stages) + wrong_bottleneck(r, stages));
  });
}

// --- runs that do not come to their end ---

/// Counts after the run has been ended, in every place in which a stage may be.
template <class Operate> void in_every_place(Operate&& check) {
  check("map", [](auto f, tw::options o) { return tw::map(f, std::move(o)); });
  check("blocking map", [](auto f, tw::options o) {
    o.blocking = true;
    return tw::map(f, std::move(o));
  });
  check("farm", [](auto f, tw::options o) {
    o.replicas = 3;
    return tw::farm(f, std::move(o));
  });
  check("unordered farm", [](auto f, tw::options o) {
    o.replicas = 3;
    o.unordered = true;
    return tw::farm(f, std::move(o));
  });
}

// Guards against counts by whole runs of items: of the one in which an operator throws a part was worked on.
// An item that an operator was called with is in; one that it returned is out; what it never saw is neither.
TEST_P(ReportNumbers, AfterAnErrorAreWhatTheOperatorsSaw) {
  in_every_place([&](const std::string& place, auto&& placed) {
    for (const auto& [items, fails_at] :
         std::vector<std::pair<long, long>>{{4, 2}, {3'000, 1'000}, {3'000, 2'999}}) {
      tally read, before, fails, behind, end, other;
      std::vector<stage_tally> stages{
          {"read", &read}, {"before", &before}, {"fails", &fails}, {"behind", &behind}, {"end", &end}};
      if (graph()) stages.push_back({"other", &other});
      const auto pass = [](tally& t) {
        return [&t](long x) {
          t.count([] { return 1; });
          return x;
        };
      };
      tw::graph g;
      auto e = launch_as<long>(graph(), g, policy(),
                               count_to(items, read) | tw::map(pass(before), {.name = "before"}),
                               placed(
                                   [&, at = fails_at](long x) {
                                     fails.count([&] { return x == at ? throw std::runtime_error("x") : 1; });
                                     return x;
                                   },
                                   {.name = "fails"}) |
                                   tw::map(pass(behind), {.name = "behind"}) | to_the_end(end),
                               other);
      EXPECT_EQ(failure_of([&] { e.wait(); }).stage, "fails");
      const auto r = e.stats();
      EXPECT_EQ(wrong_counts(r, stages), "") << place << ", item " << fails_at << " of " << items;
      EXPECT_EQ(r.stage("fails").errors(), 1U) << place << ", item " << fails_at << " of " << items;
      EXPECT_EQ(fails.calls(), fails.returned() + 1) << "the test itself is right";
    }
  });
}

// A sink that fails has taken the item with which it does.
TEST_P(ReportNumbers, AfterAnErrorOfTheSinkAreWhatTheOperatorsSaw) {
  for (const long fails_at : {2L, 1'000L}) {
    tally read, middle, end, other;
    std::vector<stage_tally> stages{{"read", &read}, {"middle", &middle}, {"end", &end}};
    if (graph()) stages.push_back({"other", &other});
    tw::graph g;
    auto e = launch_as<long>(
        graph(), g, policy(), count_to(3'000, read),
        tw::farm(
            [&](long x) {
              middle.count([] { return 1; });
              return x;
            },
            {.replicas = 2, .name = "middle"}) |
            tw::sink(
                [&](long x) { end.count([&] { return x == fails_at ? throw std::runtime_error("x") : 0; }); },
                {.name = "end"}),
        other);
    EXPECT_EQ(failure_of([&] { e.wait(); }).stage, "end");
    EXPECT_EQ(wrong_counts(e.stats(), stages), "") << "item " << fails_at;
    EXPECT_EQ(end.calls(), static_cast<std::uint64_t>(fails_at) + 1) << "an ordered sink has seen a prefix";
  }
}

// Nor does a cancelled run count what nobody saw, or leave out what somebody did.
TEST_P(ReportNumbers, AfterACancelAreWhatTheOperatorsSaw) {
  in_every_place([&](const std::string& place, auto&& placed) {
    tally read, middle, end, other;
    std::vector<stage_tally> stages{{"read", &read}, {"middle", &middle}, {"end", &end}};
    if (graph()) stages.push_back({"other", &other});
    tw::graph g;
    auto e = launch_as<long>(graph(), g, policy(), count_to(1'000'000'000, read),
                             placed(
                                 [&](long x) {
                                   middle.count([] { return 1; });
                                   return x;
                                 },
                                 {.name = "middle"}) |
                                 to_the_end(end),
                             other);
    EXPECT_TRUE(eventually([&] { return end.calls() > 1'000; }));
    e.cancel();
    EXPECT_EQ(wrong_counts(e.wait(), stages), "") << place;
  });
}

// --- random jobs ---

/// What each stage does: of so many items it lets one pass, or makes so many of each; and what it costs.
struct doing {
  long number = 1;
  int us = 0;
  bool sleeps = false;
};
struct job {
  std::string policy;
  bool graph = false;
  int form = 0;  // which patterns
  long items = 0;
  std::array<doing, 4> stages;
};
constexpr std::array forms{"map | farm map | map | map", "filter | farm map | map | map",
                           "flat_map | map | farm filter | map", "filter | farm flat_map | filter | map",
                           "count window | map | farm map | map"};

std::ostream& operator<<(std::ostream& out, const job& j) {
  out << j.policy << (j.graph ? ", graph, " : ", line, ") << j.items << " items, "
      << forms[static_cast<std::size_t>(j.form)];
  for (const auto& s : j.stages)
    out << "\n  " << s.number << ", " << (s.sleeps ? "sleeps " : "works ") << s.us << " us";
  return out;
}

rc::Gen<job> any_job() {
  // All sizes from the first one on: none of them takes long.
  return rc::gen::resize(
      rc::kNominalSize, rc::gen::exec([] {
        job j;
        j.policy = *rc::gen::element<std::string>("sequential", "pool", "pool:4", "threads", "threads:3");
        j.graph = *rc::gen::arbitrary<bool>();
        j.form = *rc::gen::inRange(0, static_cast<int>(forms.size()));
        j.items = *rc::gen::inRange(50L, 400L);
        for (auto& s : j.stages) {
          s.number = *rc::gen::inRange(1L, 4L);
          s.us = *rc::gen::element(0, 0, 2, 20, 100);
          s.sleeps = *rc::gen::arbitrary<bool>();
        }
        if (j.form == 1 ||
            j.form >= 3) {  // a fine filter, or long windows: as many items reach what is behind
          auto& first = j.stages[0];
          first = {*rc::gen::inRange(1L, 100L), 0, false};
          j.items *= first.number;
        }
        return j;
      }));
}

void work_as(const doing& d) {
  if (d.us == 0) return;
  if (d.sleeps)
    std::this_thread::sleep_for(std::chrono::microseconds(d.us));
  else
    spin_for(std::chrono::microseconds(d.us));
}

/// What the report of one run of it says that is not so: in its counts, and in its times.
std::pair<std::string, std::string> wrong_in(const job& j) {
  std::array<tally, 4> t;
  tally read, end, other;
  const auto map = [&](std::size_t i) {
    return [&, i](long x) {
      t[i].count([&] {
        work_as(j.stages[i]);
        return 1;
      });
      return x;
    };
  };
  const auto filter = [&](std::size_t i) {
    return [&, i](const long& x) {
      bool passes = false;
      t[i].count([&] {
        work_as(j.stages[i]);
        passes = x % j.stages[i].number == 0;
        return passes ? 1 : 0;
      });
      return passes;
    };
  };
  const auto flat_map = [&](std::size_t i) {
    return [&, i](long x, tw::emitter<long>& out) {
      const long n = j.stages[i].number;
      for (long k = 0; k < n; ++k) out.send(x + k);
      t[i].count([&] {
        work_as(j.stages[i]);
        return n;
      });
    };
  };
  tw::graph g;
  std::vector<stage_tally> stages{{"read", &read}, {"a", &t[0]}, {"b", &t[1]},
                                  {"c", &t[2]},    {"d", &t[3]}, {"end", &end}};
  if (j.graph) stages.push_back({"other", &other});
  const auto run = [&](auto rest) {
    return launch_as<long>(j.graph, g, tw::policy_from(j.policy), count_to(j.items, read), rest, other)
        .wait();
  };
  const tw::options a{.name = "a"};
  const tw::options b{.replicas = 3, .name = "b"};
  const tw::options c{.name = "c"};
  tw::report r;
  switch (j.form) {
    case 0:
      r = run(tw::map(map(0), a) | tw::farm(map(1), b) | tw::map(map(2), c) | tw::map(map(3), {.name = "d"}) |
              to_the_end(end));
      break;
    case 1:
      r = run(tw::filter(filter(0), a) | tw::farm(map(1), b) | tw::map(map(2), c) |
              tw::map(map(3), {.name = "d"}) | to_the_end(end));
      break;
    case 2:
      r = run(tw::flat_map(flat_map(0), a) | tw::map(map(1), {.name = "b"}) |
              tw::farm(tw::filter(filter(2)), {.replicas = 3, .name = "c"}) | tw::map(map(3), {.name = "d"}) |
              to_the_end(end));
      break;
    case 3:
      r = run(tw::filter(filter(0), a) | tw::farm(tw::flat_map(flat_map(1)), b) | tw::filter(filter(2), c) |
              tw::map(map(3), {.name = "d"}) | to_the_end(end));
      break;
    default:
      stages.erase(stages.begin() + 1);  // what the window itself does nobody writes down
      r = run(tw::window(tw::count(j.stages[0].number), tw::count_of(), a) |
              tw::map([through = map(1)](const tw::windowed<std::int64_t>& w) { return through(w.value); },
                      {.name = "b"}) |
              tw::farm(map(2), {.replicas = 3, .name = "c"}) | tw::map(map(3), {.name = "d"}) |
              to_the_end(end));
  }
  return {wrong_counts(r, stages), wrong_times(r, stages) + wrong_bottleneck(r, stages)};
}

TEST(ReportNumbersProperty, OfAnyJobAreWhatTheOperatorsSaw) {
  rc::detail::TestMetadata metadata;
  metadata.id = metadata.description = testing::UnitTest::GetInstance()->current_test_info()->name();
  auto params = rc::detail::configuration().testParams;
  params.maxSuccess = scaled(60);
  params.disableShrinking = true;  // another try of a smaller one may go well
  std::string failure;             // the counterexample is run again, and may go well then
  const auto result = rc::detail::checkTestable(
      [&] {
        const auto j = *any_job();
        const auto problem = wrong_in_the_end([&] { return wrong_in(j); });
        std::ostringstream text;
        text << problem << "\n" << j;
        if (problem.empty()) return;
        failure = text.str();
        RC_FAIL(failure);
      },
      metadata, params);
  if (!result.template is<rc::detail::SuccessResult>()) {
    std::ostringstream text;
    rc::detail::printResultMessage(result, text);
    FAIL() << text.str() << "\nThe failure: " << failure << "\nTo repeat: RC_PARAMS=\"seed=" << params.seed
           << "\"";
  }
}

}  // namespace
