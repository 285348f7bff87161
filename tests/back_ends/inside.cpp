// Runs that begin inside of what the runtime is executing already: all its threads may be there, and then
// the thread that waits for the run is the only one that can do its work.
#include <thalweg/run/omp.hpp>
#include <thalweg/run/tbb.hpp>
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "support/watchdog.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;

namespace {

constexpr int calls = 32;  // more than either runtime has threads here
constexpr long items = 300;
constexpr long sum_of_items = items * (items - 1) / 2;

// A line with a farm, whose sink sees what it should.
long a_line(const tw::any_policy& policy, const tw::options& at_the_sink = {}) {
  long sum = 0, seen = 0;
  const auto take = [&](long x) {
    EXPECT_EQ(x, seen);
    ++seen;
    sum += x;
  };
  tw::run(tw::source(std::views::iota(0L, items)) | tw::farm([](long x) { return x; }, {.replicas = 3}) |
              tw::sink(take, at_the_sink),
          policy);
  return sum;
}

// A graph whose nodes wait for each other in the middle of their calls.
long a_graph(const tw::any_policy& policy) {
  long sum = 0;
  tw::graph g;
  auto& split = g.add<tw::split<long>>();
  auto& merge = g.add<tw::merge<long>>(tw::ordered);
  g.connect(g.add(tw::source(std::views::iota(0L, items))).out, split.in);
  for (int i = 0; i < 3; ++i) {
    auto branch = g.add(tw::flat_map<long>([](long x, tw::emitter<long>& out) { out(x); }, {.capacity = 2}));
    g.connect(split.branch(), branch.in);
    g.connect(branch.out, merge.input());
  }
  g.connect(merge.out, g.add(tw::sink([&](long x) { sum += x; })).in);
  tw::run(g, policy);
  return sum;
}

// A launched graph that answers: the thread that has launched it waits for each answer, and only then for
// the end.
long a_conversation(const tw::any_policy& policy) {
  tw::graph g;
  auto& all = g.add<tw::merge<long>>();
  auto& tee = g.add<tw::tee<long>>();
  g.connect(g.add(tw::source(std::vector<long>{})).out, all.input());
  g.connect(all.out, tee.in);
  g.connect(tee.branch(), g.add(tw::sink([](long) {})).in);
  auto questions = all.feed({.capacity = 2});
  auto answers = tee.tap({.capacity = 2});
  auto run = tw::launch(g, policy);
  long sum = 0;
  for (long x = 0; x < items; ++x) {
    EXPECT_TRUE(questions.send(x));
    sum += answers.receive().value_or(-1);
  }
  questions.close();
  run.wait();
  return sum;
}

// What a program may do with a policy inside of a runtime's own work.
void do_all(const tw::any_policy& policy) {
  EXPECT_EQ(a_line(policy), sum_of_items);
  EXPECT_EQ(a_line(policy, {.on = tw::caller_thread}), sum_of_items);
  EXPECT_EQ(a_graph(policy), sum_of_items);
  EXPECT_EQ(a_conversation(policy), sum_of_items);
  // The operators begin runs themselves.
  long inner = 0;
  tw::run(tw::source(std::views::iota(0, 3)) | tw::sink([&](int) { inner += a_line(policy); }), policy);
  EXPECT_EQ(inner, 3 * sum_of_items);
  // Nobody waits for it: its destructor does.
  {
    auto left = tw::launch(tw::source([] { return std::optional(1); }) | tw::sink([](int) {}), policy);
  }
  EXPECT_THROW(tw::run(tw::source(std::views::iota(0L, items)) | tw::farm([](long x) {
                         return x == 7 ? throw std::runtime_error("seven") : x;
                       }) | tw::sink([](long) {}),
                       policy),
               tw::stage_error);
}

// How the threads of a runtime are occupied: calls a function at least once, from within its work.
struct place {
  std::string name;
  std::function<void(const std::function<void()>&)> of;
};

class Inside : public testing::TestWithParam<std::pair<std::string, place>> {
 protected:
  watchdog::watch limit_{
      90s, [] { return std::string(testing::UnitTest::GetInstance()->current_test_info()->name()); }};
};

TEST_P(Inside, RunsComeToTheirEnds) {
  const auto policy = tw::policy_from(GetParam().first);
  std::atomic<int> ended{0};
  GetParam().second.of([&] {
    do_all(policy);
    ++ended;
  });
  EXPECT_GE(ended, 1);
}

std::string name_of(const testing::TestParamInfo<std::pair<std::string, place>>& info) {
  auto name = info.param.first + "_" + info.param.second.name;
  for (auto& c : name) c = c == ':' ? '_' : c;
  return name;
}

auto in_all(const std::vector<std::string>& policies, const std::vector<place>& places) {
  std::vector<std::pair<std::string, place>> all;
  for (const auto& policy : policies) {
    for (const auto& p : places) all.emplace_back(policy, p);
  }
  return testing::ValuesIn(all);
}

using work = std::function<void()>;

const std::vector<place> places_of_tbb{
    {"nothing", [](const work& f) { f(); }},
    {"parallel_for", [](const work& f) { tbb::parallel_for(0, calls, [&](int) { f(); }); }},
    {"one_thread",
     [](const work& f) {
       const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
       tbb::parallel_for(0, 4, [&](int) { f(); });
     }},
    {"task_group",
     [](const work& f) {
       tbb::task_group group;
       for (int i = 0; i < calls; ++i) group.run(f);
       group.wait();
     }},
    {"nested_tasks",
     [](const work& f) {
       tbb::parallel_for(0, 4, [&](int) {
         tbb::task_group group;
         for (int i = 0; i < 4; ++i) group.run(f);
         f();
         group.wait();
       });
     }},
    {"arena",
     [](const work& f) {
       tbb::task_arena arena(2);
       arena.execute([&] { tbb::parallel_for(0, calls, [&](int) { f(); }); });
     }},
    {"arena_of_one",
     [](const work& f) {
       tbb::task_arena arena(1);
       arena.execute(f);
     }},
    {"enqueued",
     [](const work& f) {
       tbb::task_arena arena(2);
       tbb::task_group group;
       for (int i = 0; i < calls; ++i) arena.enqueue(group.defer(f));
       arena.execute([&] { group.wait(); });
     }},
    {"isolated",
     [](const work& f) { tbb::parallel_for(0, calls, [&](int) { tbb::this_task_arena::isolate(f); }); }},
    {"pipeline",
     [](const work& f) {
       int n = 0;
       tbb::parallel_pipeline(
           4, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& flow) {
                if (n == calls) flow.stop();
                return n++;
              }) & tbb::make_filter<int, void>(tbb::filter_mode::parallel, [&](int) { f(); }));
     }},
    {"flow_graph",
     [](const work& f) {
       tbb::flow::graph g;
       tbb::flow::function_node<int> node(g, tbb::flow::unlimited, [&](int) { f(); });
       for (int i = 0; i < calls; ++i) node.try_put(i);
       g.wait_for_all();
     }},
    {"cancelled",
     [](const work& f) {
       tbb::task_group group;
       for (int i = 0; i < 4; ++i) {
         group.run([&] {
           group.cancel();
           f();
         });
       }
       group.wait();
     }},
    {"other_threads",
     [](const work& f) {
       std::vector<std::jthread> threads;
       for (int i = 0; i < 4; ++i) threads.emplace_back([&] { tbb::parallel_for(0, 4, [&](int) { f(); }); });
     }},
};
INSTANTIATE_TEST_SUITE_P(of_tbb, Inside, in_all({"tbb", "tbb:1", "tbb:4"}, places_of_tbb), name_of);

const std::vector<place> places_of_omp{
    {"nothing", [](const work& f) { f(); }},
    {"parallel_for",
     [](const work& f) {
#pragma omp parallel for num_threads(4)
       for (int i = 0; i < calls; ++i) f();
     }},
    {"single",
     [](const work& f) {
#pragma omp parallel num_threads(4)
#pragma omp single
       f();
     }},
    {"critical",
     [](const work& f) {
#pragma omp parallel num_threads(4)
#pragma omp critical
       f();
     }},
    {"tasks",
     [](const work& f) {
#pragma omp parallel num_threads(4)
#pragma omp single
       for (int i = 0; i < calls; ++i) {
#pragma omp task
         f();
       }
     }},
    {"tasks_in_tasks",
     [](const work& f) {
#pragma omp parallel num_threads(4)
#pragma omp single
       for (int i = 0; i < 4; ++i) {
#pragma omp task
         {
#pragma omp task
           f();
           f();
#pragma omp taskwait
         }
       }
     }},
    {"sections",
     [](const work& f) {
#pragma omp parallel sections num_threads(4)
       {
#pragma omp section
         f();
#pragma omp section
         f();
       }
     }},
    {"nested_regions",
     [](const work& f) {
       const auto before = omp_get_max_active_levels();
       omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
#pragma omp parallel for num_threads(2)
       for (int i = 0; i < 8; ++i) f();
       omp_set_max_active_levels(before);
     }},
    {"other_threads",
     [](const work& f) {
       std::vector<std::jthread> threads;
       for (int i = 0; i < 4; ++i) {
         threads.emplace_back([&] {
#pragma omp parallel num_threads(2)
           f();
         });
       }
     }},
};
INSTANTIATE_TEST_SUITE_P(of_omp, Inside, in_all({"omp", "omp:1", "omp:4"}, places_of_omp), name_of);

// Each runtime inside of the other one's work.
INSTANTIATE_TEST_SUITE_P(of_the_other, Inside,
                         testing::Values(std::pair{std::string("tbb"), places_of_omp[1]},
                                         std::pair{std::string("omp"), places_of_tbb[1]}),
                         name_of);

// oneTBB may keep an arena that has been given up for as long as its workers are busy.
TEST(OneTbb, ArenasAreUsedAgain) {
  const auto runs = [] {
    for (int i = 0; i < 200; ++i) EXPECT_EQ(a_line(tw::tbb{.threads = 3}), sum_of_items);
    return tw::run_detail::spare_arenas::all().made();
  };
  const auto before = runs();
  EXPECT_EQ(runs(), before);
}

// An operator that gives its own runtime work waits for it, and must not be handed another stage meanwhile,
// which might wait for this one.
TEST(InsideAnOperator, ItsOwnParallelLoopsEnd) {
  const watchdog::watch limit(90s, [] { return std::string("loops of oneTBB in operators"); });
  for (const int threads : {1, 2, 4}) {
    std::atomic<long> sum{0};
    const auto loop = [&](long x) {
      tbb::parallel_for(0, 8, [&](int) { sum += x; });
      return x;
    };
    tw::run(tw::source(std::views::iota(0L, items)) | tw::farm(loop, {.replicas = 2, .capacity = 1}) |
                tw::flat_map<long>(
                    [&](long x, tw::emitter<long>& out) {
                      out(loop(x));
                      out(x);
                    },
                    {.capacity = 1}) |
                tw::sink(loop, {.capacity = 1}),
            tw::tbb{.threads = threads});
    EXPECT_EQ(sum, 8 * (1 + 1 + 2) * sum_of_items);
  }
}

}  // namespace
