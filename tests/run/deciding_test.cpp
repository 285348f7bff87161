// A run never stays on one thread where it must not. What items cost changes from one to the next, from phase
// to phase and from stage to stage; whoever executes the run has to notice, and to share the work, within
// some tens of milliseconds.
//
// The expensive operators of these tests sleep, which needs no core: so several can be at work at once on any
// machine, and what is looked at is how many were (`ledger`), not how long the run took.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "support/ledger.hpp"
#include "support/scale.hpp"
#include "support/watchdog.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;

namespace {

/// Under a sanitizer what is cheap is not, so how many are at work is not looked at; the ways of changing
/// from one way of running to another are still gone.
constexpr bool sanitized = THALWEG_ADDRESS_SANITIZER || THALWEG_THREAD_SANITIZER;

constexpr auto expensive_time = 5'000us;

/// A line; or a graph, in which the stage that matters is in front of a tee, or between a tee and a merge.
enum class shape { line, before_tee, behind_tee };
std::string name_of(shape s) {
  return s == shape::line ? "line" : s == shape::before_tee ? "before_tee" : "behind_tee";
}

void PrintTo(shape s, std::ostream* out) {
  *out << name_of(s);
}

/// Runs `front | work | sink`.
template <class Front, class Work, class Sink>
tw::report run_as(shape s, const std::string& policy, Front front, Work work, Sink sink) {
  const auto p = tw::policy_from(policy);
  if (s == shape::line) return tw::run(front | work | tw::sink(sink, {.name = "end"}), p);
  tw::graph g;
  auto& tee = g.add<tw::tee<long>>();
  if (s == shape::before_tee) {
    g.connect(g.add(front | work).out, tee.in);
    g.connect(tee.branch(), g.add(tw::sink(sink, {.name = "end"})).in);
  } else {
    auto& merge = g.add<tw::merge<long>>();
    auto worker = g.add(work);
    g.connect(g.add(front).out, tee.in);
    g.connect(tee.branch(), worker.in);
    g.connect(worker.out, merge.input());
    g.connect(merge.out, g.add(tw::sink(sink, {.name = "end"})).in);
  }
  return tw::run(g, p);
}

auto count_to(long n) {
  return tw::source([i = 0L, n]() mutable { return i < n ? std::optional(i++) : std::nullopt; },
                    {.name = "read"});
}

/// A farm of four whose operator sleeps over the items that are expensive.
auto slow_farm(ledger& l, std::function<bool(long)> is_expensive, tw::options options = {}) {
  options.replicas = 4;
  options.name = "slow";
  return tw::farm(
      [&l, is_expensive = std::move(is_expensive)](long x) {
        if (is_expensive(x)) l.sleep(x, expensive_time);
        return x;
      },
      std::move(options));
}
constexpr auto always = [](long) { return true; };

/// Lets one item of so many pass.
auto one_of(long every) {
  return tw::filter([every](long x) { return x % every == every - 1; });
}

/// How many must have been at work at once on average, if `mean` can be expected where nobody is late: who
/// has slept too long comes too late to its next item, too. But always more than one thread can be.
double asked_for(double mean, const ledger& l) {
  return std::max(1.05, mean / l.overslept());
}

/// What is wrong with a run in which four might have been at work at once: at some time three must have been,
/// and more than two on average.
tried enough_at_once(const ledger& l, std::size_t expected, int most = 3, double mean = 2) {
  std::ostringstream text;
  if (l.size() != expected) text << l.size() << " expensive items instead of " << expected << "; ";
  if (!sanitized && (l.most_at_once() < most || l.concurrency() <= asked_for(mean, l)))
    text << "at most " << l.most_at_once() << " at work at once, " << l.concurrency() << " on average";
  return {text.str(), l.overslept()};
}

template <class Try> void expect_fine(Try&& attempt, const std::string& where = {}) {
  const auto problem = problem_of(std::forward<Try>(attempt));
  EXPECT_TRUE(problem.empty()) << where << (where.empty() ? "" : ": ") << problem;
}

class Deciding : public testing::TestWithParam<std::tuple<std::string, shape>> {
 protected:
  static const std::string& policy() { return std::get<0>(GetParam()); }
  static bool is_pool() { return policy().starts_with("pool"); }

  template <class Front, class Work> static tw::report run(Front front, Work work) {
    long before = -1;
    bool in_order = true;
    auto report = run_as(std::get<1>(GetParam()), policy(), std::move(front), std::move(work),
                         [&](long x) { in_order = in_order && std::exchange(before, x) < x; });
    EXPECT_TRUE(in_order);
    return report;
  }

 private:
  watchdog::watch limit_{std::chrono::seconds(90), [] {
                           return std::string(testing::UnitTest::GetInstance()->current_test_info()->name());
                         }};
};
INSTANTIATE_TEST_SUITE_P(policies, Deciding,
                         testing::Combine(testing::Values(std::string("pool:4"), std::string("threads")),
                                          testing::Values(shape::line, shape::before_tee, shape::behind_tee)),
                         [](const auto& info) {
                           std::string name =
                               std::get<0>(info.param) + "_" + name_of(std::get<1>(info.param));
                           std::ranges::replace(name, ':', '_');
                           return name;
                         });

// --- few of the items reach the expensive stage ---

// Guards against samples that never see a expensive item: one item of each run of 16, 64, ... is timed, and
// the filter lets pass others. Then the run looks cheap for ever and stays on one thread.
TEST_P(Deciding, AFarmBehindAFilterThatLetsFewItemsPass) {
  static constexpr long expensive = 60;
  for (const long every : {16, 32, 48, 64, 65, 80, 100}) {
    expect_fine(
        [&]() -> tried {
          ledger l;
          const auto report = run(count_to(expensive * every) | one_of(every), slow_farm(l, always));
          auto found = enough_at_once(l, expensive);
          const auto& slow = report.stage("slow");
          EXPECT_EQ(slow.items_in(), static_cast<std::uint64_t>(expensive));
          const auto told = slow.service_time();
          if (slow.timed() && (told < expensive_time / 2 ||
                               told > 3 * std::max<tw::fractional_ns>(expensive_time, l.mean()))) {
            std::ostringstream text;
            text << found.problem << "; the report says " << told.count() << " ns per item of the slow stage";
            found.problem = text.str();
          }
          return found;
        },
        "one item of " + std::to_string(every));
  }
}

// Guards the ways that are not the plain one: a policy for errors, threads of its own, no order.
TEST_P(Deciding, AFarmWithOptionsBehindAFilter) {
  static constexpr long expensive = 60;
  for (const auto& [what, options] :
       std::vector<std::pair<std::string, tw::options>>{{"on_error", {.on_error = tw::retry(1)}},
                                                        {"blocking", {.blocking = true}},
                                                        {"capacity", {.capacity = 16}},
                                                        {"schedule", {.schedule = tw::round_robin}}})
    expect_fine(
        [&] {
          ledger l;
          run(count_to(expensive * 100) | one_of(100), slow_farm(l, always, options));
          return enough_at_once(l, expensive);
        },
        what);
}

// Guards against samples of a window's input: the first item of a run never completes a window.
TEST_P(Deciding, AFarmBehindACountWindow) {
  static constexpr long expensive = 60;
  for (const long every : {10, 1'000, 4'000})
    expect_fine(
        [&] {
          ledger l;
          run(count_to(expensive * every) | tw::window(tw::count(every), tw::count_of()) |
                  tw::map([n = 0L](const tw::windowed<std::int64_t>&) mutable { return n++; }),
              slow_farm(l, always));
          return enough_at_once(l, expensive);
        },
        "windows of " + std::to_string(every));
}

// Two serial stages are as good as a farm of two, where each has a thread: each may be at work while the
// other is.
TEST_P(Deciding, TwoExpensiveSerialStagesBehindAFilterWorkAtTheSameTime) {
  if (is_pool()) return;  // neighbours share a node
  static constexpr long expensive = 40;
  expect_fine([&] {
    ledger l;
    const auto sleepy = [&](long x) {
      l.sleep(x, 3ms);
      return x;
    };
    run(count_to(expensive * 100) | one_of(100), tw::map(sleepy) | tw::map(sleepy));
    return enough_at_once(l, 2 * expensive, 2, 1.4);
  });
}

// --- costs that change ---

// Guards against trust in what was measured once: after 100 000 items of some nanoseconds runs of items are
// long, and everything may be on one thread.
TEST_P(Deciding, ManyCheapItemsAndThenExpensiveOnes) {
  static constexpr long cheap = sanitized ? 10'000 : 100'000;
  static constexpr long expensive = 100;
  expect_fine([&] {
    ledger l;
    run(count_to(cheap + expensive), slow_farm(l, [](long x) { return x >= cheap; }));
    return enough_at_once(l, expensive);
  });
}

// The whole stream is on its way before anybody looks after the run, in runs as long as cheap items make
// them.
TEST_P(Deciding, AFewCheapItemsAndThenExpensiveOnes) {
  static constexpr long cheap = 150;
  static constexpr long expensive = 60;
  std::vector<long> all;
  for (long i = 0; i < cheap + expensive; ++i) all.push_back(i);
  for (int i = 0; i < 3; ++i) {
    expect_fine([&] {
      ledger l;
      run(tw::source(all), slow_farm(l, [](long x) { return x >= cheap; }));
      return enough_at_once(l, expensive);
    });
  }
}

TEST_P(Deciding, ExpensiveItemsAndThenManyCheapOnes) {
  static constexpr long cheap = sanitized ? 10'000 : 100'000;
  static constexpr long expensive = 60;
  expect_fine([&] {
    ledger l;
    const auto report = run(count_to(expensive + cheap), slow_farm(l, [](long x) { return x < expensive; }));
    EXPECT_EQ(report.items(), static_cast<std::uint64_t>(expensive + cheap));
    return enough_at_once(l, expensive);
  });
}

// In phases, each of which has to be noticed anew: what was learnt in the last one is wrong.
TEST_P(Deciding, EachPhaseOfExpensiveItemsIsNoticed) {
  static constexpr long cheap = sanitized ? 2'000 : 20'000;
  static constexpr long expensive = 40;
  static constexpr long phases = 4;
  // All phases together: a replica may begin with the next one while others are at work on this one.
  expect_fine([&]() -> tried {
    ledger l;
    run(count_to(phases * (cheap + expensive)),
        slow_farm(l, [](long x) { return x % (cheap + expensive) >= cheap; }));
    return enough_at_once(l, phases * expensive, 4, 2.5);
  });
}

// Guards against averages: an item costs 50 us on average, and a run of items of a hundred microseconds by
// that average has several expensive ones or none.
TEST_P(Deciding, OneItemOfAHundredIsExpensive) {
  static constexpr long expensive = 80;
  expect_fine([&] {
    ledger l;
    run(count_to(expensive * 100), slow_farm(l, [](long x) { return x % 100 == 99; }));
    return enough_at_once(l, expensive);
  });
}

// Guards against a run of items that belongs to whoever made it: all the work comes of the last item.
TEST_P(Deciding, ABurstOfAFlatMapAtTheEnd) {
  static constexpr long items = 20'000;
  static constexpr long expensive = 100;
  expect_fine([&] {
    ledger l;
    run(count_to(items) | tw::flat_map([](long x, tw::emitter<long>& out) {
          if (x == items - 1) {
            for (long i = 0; i < expensive; ++i) out.send(i);
          }
        }),
        slow_farm(l, always));
    return enough_at_once(l, expensive);
  });
}

// Guards against a loop that cannot be cut in the middle of a burst: all before it were cheap.
TEST_P(Deciding, TheRestOfABurstOfAFlatMap) {
  static constexpr long bursts = 100, of = 200, expensive = 120;
  expect_fine([&] {
    ledger l;
    run(count_to(bursts) | tw::flat_map([](long x, tw::emitter<long>& out) {
          for (long i = 0; i < of; ++i) out.send(x * of + i);
        }) | tw::map([](long x) { return x; }),
        slow_farm(l, [](long x) { return x >= bursts * of - expensive; }));
    return enough_at_once(l, expensive);
  });
}

// The same behind farms, and in one, of a line that has become one loop since all was cheap.
TEST_P(Deciding, TheRestOfABurstOfALaterFlatMap) {
  static constexpr long cheap = 200'000, expensive = 120;
  const auto burst = tw::flat_map([](long x, tw::emitter<long>& out) {
    for (long i = 0; i < (x < cheap ? 1 : expensive); ++i) out.send(x + i);
  });
  const auto same = [](long x) { return x; };
  const auto is_expensive = [](long x) { return x >= cheap; };
  expect_fine([&] {
    ledger l;
    run(count_to(cheap + 1) | tw::farm(same, {.replicas = 2}) | burst | tw::map(same),
        slow_farm(l, is_expensive));
    return enough_at_once(l, expensive);
  });
  expect_fine([&] {
    ledger l;
    run(count_to(cheap + 1) | tw::farm(burst, {.replicas = 2}) | tw::map(same), slow_farm(l, is_expensive));
    return enough_at_once(l, expensive);
  });
}

// And of every thousandth.
TEST_P(Deciding, BurstsOfAFlatMapNowAndThen) {
  static constexpr long items = 6'000;
  static constexpr long expensive = 20;  // per burst
  expect_fine([&] {
    ledger l;
    run(count_to(items) | tw::flat_map([n = 0L](long x, tw::emitter<long>& out) mutable {
          if (x % 1'000 != 999) return;
          for (long i = 0; i < expensive; ++i) out.send(n++);
        }),
        slow_farm(l, always));
    return enough_at_once(l, expensive * items / 1'000);
  });
}

// What comes out of an end hook is work like any other.
struct gives_at_the_end {
  void operator()(long, tw::emitter<long>&) {}
  void on_end(tw::emitter<long>& out) {
    for (long i = 0; i < 60; ++i) out.send(i);
  }
};
TEST_P(Deciding, ExpensiveItemsThatAnEndHookSends) {
  expect_fine([&] {
    ledger l;
    run(count_to(20'000) | tw::flat_map(gives_at_the_end{}), slow_farm(l, always));
    return enough_at_once(l, 60);
  });
}

// The source gives all in one call.
TEST_P(Deciding, ExpensiveItemsOfASourceThatEmits) {
  static constexpr long cheap = 20'000;
  static constexpr long expensive = 60;
  expect_fine([&] {
    ledger l;
    run(tw::source<long>(
            [](tw::emitter<long>& out) {
              for (long i = 0; i < cheap + expensive; ++i) out.send(i);
            },
            {.name = "read"}),
        slow_farm(l, [](long x) { return x >= cheap; }));
    return enough_at_once(l, expensive);
  });
}

// --- somebody looks on, and changes the number of replicas ---

// Guards the way that leads through a halt: a report, or another number of replicas, is taken between two
// runs of items; afterwards the run must be shared as before.
TEST(DecidingPool, StatsAndOtherNumbersOfReplicasLeaveItShared) {
  static constexpr long expensive = 120;
  expect_fine([&] {
    ledger l;
    auto e =
        tw::launch(count_to(expensive * 100) | one_of(100) | slow_farm(l, always) | tw::sink([](long) {}),
                   tw::pool{.workers = 4});
    std::this_thread::sleep_for(20ms);
    e.set_replicas("slow", 3);
    (void)e.stats();
    std::this_thread::sleep_for(20ms);
    e.set_replicas("slow", 4);
    (void)e.stats();
    e.wait();
    return enough_at_once(l, expensive);
  });
}

// --- any costs ---

/// Items that follow each other and cost alike.
struct phase {
  int kind = 0;    // 0: cheap, 1: expensive, 2: one of `every` is expensive, 3: a ramp, 4: with giants
  long items = 0;  // in it
  long every = 1;
  int us = 2'000;  // what a expensive one costs
  int farm = 0;    // in which of the two farms it does
};
struct plan {
  std::string policy;
  shape form = shape::line;
  int front = 0;  // what is between the source and the two farms: nothing, a filter, a window, a flat_map
  long every = 1;
  int replicas = 4;
  bool unordered = false;
  std::vector<phase> phases;

  long items() const {
    long n = 0;
    for (const auto& p : phases) n += p.items;
    return n;
  }
};

std::ostream& operator<<(std::ostream& out, const plan& p) {
  constexpr std::array fronts{"nothing", "a filter", "a window", "a flat_map"};
  constexpr std::array kinds{"cheap", "expensive", "one expensive", "a ramp", "giants"};
  out << p.policy << ", " << name_of(p.form) << ", behind " << fronts[static_cast<std::size_t>(p.front)]
      << " of " << p.every << ", " << p.replicas << " replicas" << (p.unordered ? ", unordered" : "") << ":";
  for (const auto& f : p.phases)
    out << "\n  " << f.items << " items: " << kinds[static_cast<std::size_t>(f.kind)] << ", " << f.us
        << " us, every " << f.every << ", in farm " << f.farm;
  return out;
}

/// What item `i` of a phase costs.
int cost_of(const phase& f, long i) {
  switch (f.kind) {
    case 0:
      return 0;
    case 1:
      return f.us;
    case 2:
      return i % f.every == f.every - 1 ? f.us : 0;
    case 3:
      return static_cast<int>(f.us * i / f.items);
    default:
      return i % 16 == 7 ? 8 * f.us : f.us;
  }
}

rc::Gen<plan> any_plan() {
  // All sizes from the first one on: none of them takes long.
  return rc::gen::resize(rc::kNominalSize, rc::gen::exec([] {
                           plan p;
                           p.policy = *rc::gen::element<std::string>("pool:4", "pool:4", "threads");
                           p.form = *rc::gen::element(shape::line, shape::line, shape::before_tee,
                                                      shape::behind_tee);
                           p.front = *rc::gen::inRange(0, 4);
                           p.every = *rc::gen::inRange(2L, 200L);
                           p.replicas = *rc::gen::inRange(2, 5);
                           p.unordered = *rc::gen::inRange(0, 3) == 0;
                           for (int n = *rc::gen::inRange(1, 5); n > 0; --n) {
                             phase f;
                             f.kind = *rc::gen::inRange(0, 5);
                             f.us = *rc::gen::inRange(1'500, 5'000);
                             f.every = *rc::gen::inRange(2L, 100L);
                             f.farm = *rc::gen::inRange(0, 2);
                             // Some 150 ms in which all that may be are at work: a expensive phase is long
                             // enough to be looked at.
                             const long expensive = p.replicas * 150'000L / f.us;
                             f.items = f.kind == 0   ? *rc::gen::inRange(100L, 20'000L)
                                       : f.kind == 2 ? expensive * f.every
                                       : f.kind == 3 ? 2 * expensive
                                       : f.kind == 4 ? expensive * 2 / 3
                                                     : expensive;
                             p.phases.push_back(f);
                           }
                           return p;
                         }));
}

/// In each phase, from `grace` after its first expensive item until fewer are left than may be at work,
/// nearly as many must have been as may be.
constexpr auto grace = 50ms;
constexpr double near = 0.6;

std::string shortfall(const plan& p, const ledger& l) {
  const auto possible = std::min(p.replicas, 4);
  std::ostringstream text;
  const auto calls = l.calls();
  long first = 0;
  for (const auto& f : p.phases) {
    std::vector<ledger::moment> begun;
    for (const auto& c : calls) {
      if (c.item >= first && c.item < first + f.items) begun.push_back(c.begin);
    }
    first += f.items;
    if (begun.size() <= static_cast<std::size_t>(possible)) continue;
    const auto from = begun.front() + grace;
    const auto to = begun[begun.size() - static_cast<std::size_t>(possible)];
    if (to < from + 40ms) continue;
    if (const double reached = l.concurrency(from, to); reached < asked_for(near * possible, l))
      text << "of the phase that ends with item " << first << ", " << reached << " of " << possible
           << " were at work; ";
  }
  return text.str();
}

/// Runs it once.
tried result_of(const plan& p) {
  const watchdog::watch limit(60s, [&] {
    std::ostringstream text;
    text << p;
    return text.str();
  });
  std::array<std::vector<int>, 2> costs;
  for (const auto& f : p.phases) {
    for (long i = 0; i < f.items; ++i) {
      costs[0].push_back(f.farm == 0 ? cost_of(f, i) : 0);
      costs[1].push_back(f.farm == 1 ? cost_of(f, i) : 0);
    }
  }
  const long n = p.items();
  ledger l;
  const auto farm_of = [&](std::size_t i) {
    return tw::farm(
        [&, i](long x) {
          if (const int us = costs[i][static_cast<std::size_t>(x)]; us > 0)
            l.sleep(x, std::chrono::microseconds(us));
          return x;
        },
        {.replicas = p.replicas, .unordered = p.unordered});
  };
  auto farm = farm_of(0) | farm_of(1);
  std::vector<long> seen;
  const auto take = [&](long x) { seen.push_back(x); };
  switch (p.front) {
    case 0:
      run_as(p.form, p.policy, count_to(n), farm, take);
      break;
    case 1:
      run_as(p.form, p.policy, count_to(n * p.every) | tw::filter([&](long x) {
                                 return x % p.every == p.every - 1;
                               }) | tw::map([&](long x) { return x / p.every; }),
             farm, take);
      break;
    case 2:
      run_as(p.form, p.policy,
             count_to(n * p.every) | tw::window(tw::count(p.every), tw::count_of()) |
                 tw::map([i = 0L](const tw::windowed<std::int64_t>&) mutable { return i++; }),
             farm, take);
      break;
    default:  // each item that is a multiple gives as many as there are between two of them
      run_as(p.form, p.policy, count_to(n) | tw::flat_map([&](long x, tw::emitter<long>& out) {
                                 if (x % p.every != 0) return;
                                 for (long i = x; i < std::min(n, x + p.every); ++i) out.send(i);
                               }),
             farm, take);
  }
  if (p.unordered) std::ranges::sort(seen);
  bool all = std::ssize(seen) == n;
  for (long i = 0; all && i < n; ++i) all = seen[static_cast<std::size_t>(i)] == i;
  if (!all) return {"the output is wrong", 1};
  return {sanitized ? "" : shortfall(p, l), l.overslept()};
}

TEST(DecidingProperty, SoonAfterEachChangeNearlyAllWhoMayAreAtWork) {
  rc::detail::TestMetadata metadata;
  metadata.id = metadata.description = testing::UnitTest::GetInstance()->current_test_info()->name();
  auto params = rc::detail::configuration().testParams;
  params.maxSuccess = scaled(6);
  params.disableShrinking = true;  // a smaller one is another one: it is about time
  std::string failure;             // the counterexample is run again, and may go well then
  const auto result = rc::detail::checkTestable(
      [&] {
        const auto p = *any_plan();
        const auto problem = problem_of([&] { return result_of(p); });
        std::ostringstream text;
        text << problem << "\n" << p;
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
