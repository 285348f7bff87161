#include <thalweg/observe/report.hpp>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

// Each test describes a run of one second whose limit is known by construction.
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using thalweg::bottleneck_report;
using thalweg::limited_by;
using thalweg::report;
using thalweg::report_data;
using thalweg::stage_data;

constexpr std::uint64_t items = 1'000;

struct scene {
  explicit scene(int workers, int cores, double cpu_seconds) {
    data.workers = workers;
    data.cores = cores;
    data.elapsed = 1s;
    data.items = items;
    data.stages.reserve(16);  // `add` returns references
    data.cpu = std::chrono::nanoseconds(static_cast<std::int64_t>(cpu_seconds * 1e9));
  }

  // A stage whose replicas were busy for so many seconds, all added up.
  stage_data& add(std::string name, std::string kind, double busy_seconds, int replicas = 1) {
    stage_data& s = data.stages.emplace_back();
    s.name = std::move(name);
    s.kind = std::move(kind);
    s.replicas = replicas;
    s.totals.items_in = s.kind == "source" ? 0 : items;
    s.totals.items_out = s.kind == "sink" ? 0 : items;
    s.totals.sampled_items = items;
    s.totals.service_ns = static_cast<std::uint64_t>(busy_seconds * 1e9);
    return s;
  }

  bottleneck_report limit() const { return report(data).bottleneck(); }

  report_data data;
};

void waits(stage_data& s, double in_seconds, double out_seconds) {
  s.totals.wait_in_ns = static_cast<std::uint64_t>(in_seconds * 1e9);
  s.totals.wait_out_ns = static_cast<std::uint64_t>(out_seconds * 1e9);
}

TEST(bottleneck, a_source_that_is_always_busy_limits) {
  scene run(4, 4, 1.8);
  run.add("read", "source", 0.97);
  run.add("compress", "farm", 0.6, 4);
  run.add("write", "sink", 0.25);
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::source);
  EXPECT_EQ(limit.stage, "read");
  EXPECT_DOUBLE_EQ(limit.utilisation, 0.97);
  EXPECT_NEAR(limit.possible_gain, 4, 0.01) << "then the sink, busy for 0.25 s, limits";
  EXPECT_THAT(limit.advice, HasSubstr("'read' is busy 97 % of the time"));
  EXPECT_THAT(limit.advice, HasSubstr("That makes it at most 4.0 times faster, until 'write' limits."));
}

TEST(bottleneck, a_sink_that_is_always_busy_limits) {
  scene run(4, 4, 1.8);
  run.add("read", "source", 0.5);
  run.add("compress", "farm", 0.9, 4);
  run.add("write", "sink", 0.95);
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::sink);
  EXPECT_EQ(limit.stage, "write");
  EXPECT_NEAR(limit.possible_gain, 2, 0.01);
}

TEST(bottleneck, a_serial_stage_that_is_always_busy_limits) {
  scene run(4, 4, 2.4);
  run.add("read", "source", 0.3);
  run.add("parse", "map", 0.92);
  run.add("compress", "farm", 1.2, 4);
  run.add("write", "sink", 0.1);
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::serial_stage);
  EXPECT_EQ(limit.stage, "parse");
  // As a farm it would share the four cores with the rest: 2.52 s of work in 0.63 s.
  EXPECT_NEAR(limit.possible_gain, 1 / 0.63, 0.01);
  EXPECT_THAT(limit.advice, HasSubstr("until all the cores it may use are busy"));
}

TEST(bottleneck, fused_stages_limit_together) {
  scene run(4, 4, 2.0);
  run.add("read", "source", 0.1).segment = 0;
  run.add("decode", "map", 0.3).segment = 1;
  run.add("parse", "map", 0.5).segment = 1;
  run.add("check", "filter", 0.15).segment = 1;
  run.add("write", "sink", 0.1).segment = 2;
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::serial_stage);
  EXPECT_EQ(limit.stage, "parse") << "the one with most of the work";
  EXPECT_NEAR(limit.utilisation, 0.95, 1e-9);
  EXPECT_THAT(limit.advice, HasSubstr("'parse', fused with 'decode' and 'check', is busy 95 % of the time"));

  for (auto& s : run.data.stages) s.segment = -1;
  EXPECT_EQ(run.limit().reason, limited_by::unknown) << "apart, none of them is busy all the time";
}

TEST(bottleneck, a_farm_may_be_allowed_too_few_replicas) {
  scene run(8, 8, 2.2);
  run.add("read", "source", 0.1);
  run.add("compress", "farm", 1.9, 2);
  run.add("write", "sink", 0.2);
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::replicas);
  EXPECT_EQ(limit.stage, "compress");
  EXPECT_NEAR(limit.utilisation, 0.95, 1e-9);
  EXPECT_NEAR(limit.possible_gain, 1 / (2.2 / 8), 0.01);
  EXPECT_THAT(limit.advice, HasSubstr(".replicas = 8"));
}

TEST(bottleneck, a_blocking_stage_may_have_more_replicas_than_cores) {
  scene run(2, 2, 0.1);
  run.add("read", "source", 0.05);
  run.add("fetch", "farm", 3.9, 4).blocking = true;
  run.add("write", "sink", 0.05);
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::replicas);
  EXPECT_EQ(limit.stage, "fetch");
  EXPECT_THAT(limit.advice, HasSubstr(".replicas = 8"));
  EXPECT_NEAR(limit.possible_gain, 8 / 3.9, 0.01);
}

// What waits for the outside is no work of the cores: it was 136 % of it.
TEST(bottleneck, what_blocking_stages_do_is_no_work_of_the_cores) {
  scene run(2, 2, 1.95);
  run.add("read", "source", 0.45);
  run.add("compress", "farm", 1.5, 2);
  run.add("upload", "farm", 2.65, 4).blocking = true;
  run.add("write", "sink", 0.0);
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::machine);
  EXPECT_EQ(limit.stage, "compress");
  EXPECT_THAT(limit.advice, HasSubstr("All 2 cores are busy, 77 % of the work in 'compress'."));
}

// The thread of a blocking stage is at work on the clock only.
TEST(bottleneck, who_waits_in_a_blocking_stage_has_not_lost_the_machine) {
  scene run(4, 4, 0.5);
  run.data.work.busy_ns = 3'900'000'000;
  run.add("read", "source", 0.2);
  run.add("upload", "farm", 3.4, 4).blocking = true;
  run.add("write", "sink", 0.3);
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::replicas) << limit.advice;
  EXPECT_THAT(limit.advice, testing::Not(HasSubstr("got only")));
  EXPECT_THAT(limit.advice, testing::Not(HasSubstr("marked")));
}

TEST(bottleneck, waiting_in_a_blocking_stage_is_no_handing_over) {
  scene run(4, 4, 0.02);
  run.data.items = 1'000'000;
  run.data.work.busy_ns = 3'600'000'000;
  run.add("read", "source", 0.2);
  run.add("upload", "farm", 3.2, 4).blocking = true;
  run.add("write", "sink", 0.2);
  EXPECT_EQ(run.limit().reason, limited_by::unknown) << run.limit().advice;
}

// The cores are full of what a stage does that is marked .blocking: what the others do is not all of the
// work, and handing over is not what takes the time.
TEST(bottleneck, a_blocking_stage_may_compute_after_all) {
  scene run(2, 2, 1.96);
  run.data.items = 1'000'000;
  run.add("read", "source", 0.1);
  run.add("upload", "farm", 1.8, 4).blocking = true;
  run.add("write", "sink", 0.05);
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::machine) << limit.advice;
  EXPECT_EQ(limit.stage, "upload");
  EXPECT_THAT(limit.advice, testing::Not(HasSubstr("of the work in")));
}

TEST(bottleneck, a_serial_stage_that_waits_gains_from_replicas_on_one_core) {
  scene run(1, 1, 0.1);
  run.add("read", "source", 0.05);
  run.add("ask", "map", 0.95).blocking = true;
  run.add("write", "sink", 0.05);
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::serial_stage);
  EXPECT_NEAR(limit.possible_gain, 1 / (0.95 / 2), 0.01);
}

void share(stage_data& s, thalweg::observe::division by, std::vector<double> busy_seconds) {
  s.shares.by = by;
  s.dealt = true;
  for (std::size_t i = 0; i != busy_seconds.size(); ++i) {
    const auto ns = static_cast<std::uint64_t>(busy_seconds[i] * 1e9);
    s.shares.all.push_back(
        {.number = static_cast<int>(i), .items = 10, .service_ns = ns, .sampled_items = 10});
  }
}

TEST(bottleneck, uneven_keys_limit_while_the_other_replicas_wait) {
  scene run(4, 4, 1.6);
  run.add("read", "source", 0.1);
  auto& count = run.add("count", "farm", 1.36, 4);
  share(count, thalweg::observe::division::key_part, {0.1, 0.95, 0.11, 0.2});
  run.add("write", "sink", 0.1);
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::skew);
  EXPECT_EQ(limit.stage, "count");
  EXPECT_DOUBLE_EQ(limit.utilisation, 0.95);
  EXPECT_NEAR(limit.possible_gain, 1 / (1.56 / 4), 0.01) << "then the four cores have all of the work";
  EXPECT_THAT(limit.advice,
              HasSubstr("One of 4 replicas of 'count' does 70 % of the work and is busy 95 % of "
                        "the time: the keys are uneven."));

  count.dealt = false;  // who is idle takes the next item: such replicas wait for nobody
  EXPECT_EQ(run.limit().reason, limited_by::unknown);
}

TEST(bottleneck, a_schedule_may_deal_items_unevenly) {
  scene run(4, 4, 1.6);
  run.add("read", "source", 0.1);
  share(run.add("work", "farm", 1.2, 3), thalweg::observe::division::replica, {0.1, 0.15, 0.95});
  run.add("write", "sink", 0.1);
  EXPECT_EQ(run.limit().reason, limited_by::skew);
  EXPECT_THAT(run.limit().advice, HasSubstr("its .schedule deals the items unevenly"));
}

TEST(bottleneck, more_replicas_help_only_as_far_as_the_busiest_part_of_the_keys) {
  scene run(8, 8, 2.2);
  run.add("read", "source", 0.1);
  share(run.add("count", "farm", 1.9, 2), thalweg::observe::division::key_part, {0.5, 0.4, 0.6, 0.4});
  run.add("write", "sink", 0.1);
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::replicas);
  EXPECT_NEAR(limit.possible_gain, 1 / 0.6, 0.01);
}

TEST(bottleneck, full_cores_come_before_uneven_keys) {
  scene run(2, 2, 1.95);
  run.add("read", "source", 0.8);
  share(run.add("count", "farm", 1.1, 2), thalweg::observe::division::key_part, {0.95, 0.15});
  run.add("write", "sink", 0.0);
  EXPECT_EQ(run.limit().reason, limited_by::machine) << run.limit().advice;
}

// The stages of a farm share its replicas: what a replica does in all of them counts.
TEST(bottleneck, the_stages_of_a_farm_are_uneven_together) {
  scene run(4, 4, 1.6);
  run.add("read", "source", 0.1);
  for (const auto* name : {"count", "format"}) {
    auto& s = run.add(name, "farm", 0.6, 4);
    s.segment = 1;
    share(s, thalweg::observe::division::key_part, {0.05, 0.5, 0.05, 0.0});
  }
  run.add("write", "sink", 0.1);
  EXPECT_EQ(run.limit().reason, limited_by::skew);
  EXPECT_DOUBLE_EQ(run.limit().utilisation, 1);
}

TEST(bottleneck, few_workers_limit_when_cores_are_free) {
  scene run(2, 8, 1.95);
  run.add("read", "source", 0.1);
  run.add("compress", "farm", 1.8, 8);
  run.add("write", "sink", 0.06);
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::workers);
  EXPECT_EQ(limit.stage, "compress");
  EXPECT_THAT(limit.advice, HasSubstr("All 2 workers are busy, and the machine has 8.0 cores"));
  EXPECT_NEAR(limit.possible_gain, 4, 0.01) << "from two busy workers to eight";
}

TEST(bottleneck, a_sequential_run_is_told_to_use_the_other_cores) {
  scene run(1, 4, 1.0);
  run.add("read", "source", 0.2);
  run.add("compress", "farm", 0.7, 4);
  run.add("write", "sink", 0.1);
  for (auto& s : run.data.stages) s.segment = 0;
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::workers);
  EXPECT_THAT(limit.advice, HasSubstr("such as pool"));
  EXPECT_NEAR(limit.possible_gain, 4, 0.01) << "all stages could overlap, on four cores";
}

TEST(bottleneck, a_sequential_run_with_a_slow_source_gains_nothing_from_workers) {
  scene run(1, 4, 1.0);
  run.add("read", "source", 0.95);
  run.add("write", "sink", 0.05);
  EXPECT_EQ(run.limit().reason, limited_by::source);
}

TEST(bottleneck, a_serial_stage_on_one_worker_needs_a_farm_and_another_policy) {
  scene run(1, 4, 1.0);
  run.add("read", "source", 0.02);
  run.add("parse", "map", 0.96);
  run.add("write", "sink", 0.02);
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::serial_stage);
  EXPECT_THAT(limit.advice, HasSubstr("such as pool"));
  EXPECT_NEAR(limit.possible_gain, 4, 0.01) << "as a farm on all cores";
}

TEST(bottleneck, all_cores_busy_is_the_machine) {
  scene run(2, 2, 1.95);
  run.add("read", "source", 0.1);
  run.add("compress", "farm", 1.7, 8);
  run.add("write", "sink", 0.15);
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::machine);
  EXPECT_EQ(limit.stage, "compress");
  EXPECT_THAT(limit.advice, HasSubstr("All 2 cores are busy, 87 % of the work in 'compress'"));
  EXPECT_NEAR(limit.possible_gain, 0.975 / 0.2125, 0.01)
      << "with cores enough, eight replicas need 1.7 s / 8; of 2 s, 1.95 s were used";
}

TEST(bottleneck, one_core_is_a_machine_too) {
  scene run(1, 1, 0.99);
  run.add("read", "source", 0.3);
  run.add("compress", "farm", 0.6, 8);
  run.add("write", "sink", 0.09);
  EXPECT_EQ(run.limit().reason, limited_by::machine);
  EXPECT_THAT(run.limit().advice, HasSubstr("The core is busy"));
}

// Ten threads on two cores: the clock says that each replica was busy all the time, though it mostly waited
// for a core.
TEST(bottleneck, crowding_does_not_make_a_stage_look_busy) {
  scene run(10, 2, 1.98);
  run.add("read", "source", 0.90);
  run.add("compress", "farm", 7.6, 8);
  run.add("write", "sink", 0.3);
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::machine);
  EXPECT_EQ(limit.stage, "compress");
}

TEST(bottleneck, other_programs_may_take_the_machine) {
  scene run(4, 4, 1.6);
  run.add("read", "source", 0.1);
  run.add("compress", "farm", 3.6, 4);
  run.add("write", "sink", 0.1);
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::machine);
  EXPECT_THAT(limit.advice, HasSubstr("All 4 workers are busy, 95 % of the work in 'compress'. But"));
  EXPECT_THAT(limit.advice, HasSubstr("got only 1.6 of 4.0 cores: other programs"));
  EXPECT_THAT(limit.advice, testing::Not(HasSubstr("more cores")));
}

// The worker was at work all the time, but had a core for 0.6 s only; the samples of the stages, too short to
// be interrupted, show the work that was done in these 0.6 s.
TEST(bottleneck, sampled_times_are_compared_with_the_time_that_workers_got) {
  scene run(1, 4, 0.6);
  run.data.work.busy_ns = 990'000'000;
  run.add("read", "source", 0.05);
  run.add("compress", "farm", 0.5, 4);
  run.add("write", "sink", 0.05);
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::workers);
  EXPECT_NEAR(limit.utilisation, 1, 0.01);
  EXPECT_NEAR(limit.possible_gain, 4, 0.01);
  EXPECT_THAT(limit.advice, HasSubstr("got only 0.60 of 1.0 core: other programs"));

  run.data.work.busy_ns = 600'000'000;  // it was idle meanwhile
  EXPECT_EQ(run.limit().reason, limited_by::unknown);
}

TEST(bottleneck, a_paced_source_with_time_to_spare_means_nothing_is_too_slow) {
  scene run(2, 2, 0.5);
  auto& source = run.add("read", "source", 0.05);
  source.paced = true;
  waits(source, 0.7, 0);
  run.add("compress", "farm", 0.4, 2);
  run.add("write", "sink", 0.05);
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::schedule);
  EXPECT_EQ(limit.stage, "read");
  EXPECT_EQ(limit.possible_gain, 1);
  EXPECT_THAT(limit.advice, HasSubstr("at most 4.0 times the load"));

  source.paced = false;
  EXPECT_NE(run.limit().reason, limited_by::schedule);
}

TEST(bottleneck, a_paced_source_does_not_hide_a_stage_that_is_late) {
  scene run(2, 2, 1.2);
  auto& source = run.add("read", "source", 0.05);
  source.paced = true;
  waits(source, 0.02, 0.8);
  run.add("parse", "map", 0.99);
  run.add("write", "sink", 0.05);
  EXPECT_EQ(run.limit().reason, limited_by::serial_stage);
  EXPECT_EQ(run.limit().stage, "parse");
}

TEST(bottleneck, inline_work_is_too_fine_to_hand_over) {
  scene run(2, 2, 1.0);
  run.data.items = 100'000'000;
  run.data.inlined = true;
  run.add("read", "source", 0.3);
  run.add("square", "farm", 0.4, 2);
  run.add("write", "sink", 0.2);
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::grain);
  EXPECT_EQ(limit.stage, "square");
  EXPECT_THAT(limit.advice, HasSubstr("(9.00 ns) costs less than handing an item"));
}

TEST(bottleneck, work_that_is_coarse_is_not_called_fine_even_if_it_began_inline) {
  scene run(2, 2, 1.0);
  run.data.inlined = true;
  run.add("read", "source", 0.3);
  run.add("square", "farm", 0.4, 2);
  run.add("write", "sink", 0.2);
  EXPECT_EQ(run.limit().reason, limited_by::unknown) << "0.9 ms an item";
  run.data.workers = 1;
  run.data.items = 100'000'000;
  EXPECT_EQ(run.limit().reason, limited_by::workers) << "one worker has nobody to hand over to";
}

TEST(bottleneck, handing_over_may_cost_more_than_the_work) {
  scene run(4, 2, 1.95);
  run.data.items = 5'000'000;
  run.add("read", "source", 0.05);
  run.add("square", "farm", 0.2, 2);
  run.add("write", "sink", 0.05);
  EXPECT_EQ(run.limit().reason, limited_by::grain);
  EXPECT_THAT(run.limit().advice, HasSubstr("handing items over"));
  EXPECT_THAT(run.limit().advice, HasSubstr("or use the pool policy"));
  run.data.policy = "pool:4";
  EXPECT_THAT(run.limit().advice, HasSubstr("into one (batch) or have fewer stages."))
      << "it has that already";

  run.data.items = 1'000;  // two milliseconds an item are not spent on handing over
  EXPECT_EQ(run.limit().reason, limited_by::machine);
}

TEST(bottleneck, workers_that_are_busy_without_stages_hand_over) {
  scene run(2, 8, 0);
  run.data.items = 5'000'000;
  run.data.work.busy_ns = 1'950'000'000;
  run.add("read", "source", 0.05);
  run.add("square", "farm", 0.2, 2);
  run.add("write", "sink", 0.05);
  EXPECT_EQ(run.limit().reason, limited_by::grain);
}

TEST(bottleneck, a_full_reorder_window_means_order_limits) {
  scene run(4, 4, 2.0);
  run.add("read", "source", 0.1);
  auto& farm = run.add("compress", "farm", 1.7, 4);
  farm.reorder_capacity = 64;
  farm.totals.reorder = {100, 6'000, 64};
  run.add("write", "sink", 0.2);
  const auto limit = run.limit();
  EXPECT_EQ(limit.reason, limited_by::order);
  EXPECT_EQ(limit.stage, "compress");
  EXPECT_THAT(limit.advice, HasSubstr(".unordered = true"));
  EXPECT_NEAR(limit.possible_gain, 2, 0.01);

  farm.totals.reorder = {100, 600, 64};
  EXPECT_EQ(run.limit().reason, limited_by::unknown);
}

TEST(bottleneck, the_stage_that_never_waits_limits_even_if_its_operator_does_not_explain_it) {
  scene run(3, 4, 1.2);
  waits(run.add("read", "source", 0.1), 0, 0.85);
  waits(run.add("parse", "map", 0.6), 0.02, 0.03);
  waits(run.add("write", "sink", 0.1), 0.85, 0);
  EXPECT_EQ(run.limit().reason, limited_by::serial_stage);
  EXPECT_EQ(run.limit().stage, "parse");

  run.data.stages[1].totals.service_ns = 100'000'000;  // 0.9 ms an item unexplained
  EXPECT_EQ(run.limit().reason, limited_by::unknown);
  run.data.items = 1'000'000;
  for (auto& s : run.data.stages) {
    s.totals.items_in *= 1'000;
    s.totals.items_out *= 1'000;
    s.totals.sampled_items *= 1'000;
  }
  EXPECT_EQ(run.limit().reason, limited_by::grain) << "0.9 µs an item are what a pipe costs";
}

TEST(bottleneck, says_when_nothing_stands_out_or_nothing_was_measured) {
  scene run(4, 4, 1.0);
  run.add("read", "source", 0.2);
  run.add("compress", "farm", 1.2, 4);
  run.add("write", "sink", 0.1);
  EXPECT_EQ(run.limit().reason, limited_by::unknown);
  EXPECT_EQ(run.limit().stage, "compress");
  EXPECT_EQ(run.limit().possible_gain, 1);

  for (auto& s : run.data.stages) s.totals.sampled_items = 0;
  EXPECT_EQ(run.limit().reason, limited_by::unknown);
  EXPECT_EQ(run.limit().stage, "");
  EXPECT_THAT(run.limit().advice, HasSubstr("Too little was measured"));
}

TEST(bottleneck, a_pause_is_not_time_in_which_a_stage_could_work) {
  scene run(4, 4, 1.2);
  run.data.elapsed = 10s;
  run.data.paused = 9s;
  run.add("read", "source", 0.1);
  run.add("parse", "map", 0.95);
  run.add("write", "sink", 0.1);
  EXPECT_EQ(run.limit().reason, limited_by::serial_stage);
}

TEST(bottleneck, reasons_have_names) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(limited_by::order); ++i)
    names.insert(to_string(static_cast<limited_by>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(limited_by::order) + 1);
}

// Whatever the counters say, the verdict is sane: it names a stage of the run and promises nothing
// impossible.
RC_GTEST_PROP(bottleneck, is_sane_for_any_counters, ()) {
  const int workers = *rc::gen::inRange(1, 9);
  const int cores = *rc::gen::inRange(1, 9);
  scene run(workers, cores, *rc::gen::inRange(0, 900) / 100.0);
  const int stages = *rc::gen::inRange(2, 7);
  for (int i = 0; i != stages; ++i) {
    const char* kind = i == 0 ? "source" : i + 1 == stages ? "sink" : "farm";
    auto& s = run.add("stage" + std::to_string(i), kind, *rc::gen::inRange(0, 400) / 100.0,
                      *rc::gen::inRange(1, 6));
    s.segment = *rc::gen::inRange(-1, 3);
    s.blocking = *rc::gen::arbitrary<bool>();
    s.paced = *rc::gen::arbitrary<bool>();
    waits(s, *rc::gen::inRange(0, 100) / 100.0, *rc::gen::inRange(0, 100) / 100.0);
  }
  run.data.inlined = *rc::gen::arbitrary<bool>();
  const auto limit = run.limit();
  RC_ASSERT(limit.utilisation >= 0);
  RC_ASSERT(limit.utilisation <= 1);
  RC_ASSERT(limit.possible_gain >= 1);
  RC_ASSERT(limit.possible_gain < 1e9);
  RC_ASSERT_FALSE(limit.advice.empty());
  const auto is_named = [&](const stage_data& s) { return s.name == limit.stage; };
  RC_ASSERT(limit.stage.empty() || std::ranges::any_of(run.data.stages, is_named));
}

// An ideal run: every stage overlaps with every other, and one part is always busy. That part must be found.
RC_GTEST_PROP(bottleneck, finds_the_part_that_is_always_busy, ()) {
  const int stages = *rc::gen::inRange(2, 7);
  const int busiest = *rc::gen::inRange(0, stages);
  scene run(64, 64, 0);
  double sum = 0;
  for (int i = 0; i != stages; ++i) {
    const char* kind = i == 0 ? "source" : i + 1 == stages ? "sink" : "farm";
    const int replicas = i == 0 || i + 1 == stages ? 1 : *rc::gen::inRange(1, 9);
    const double share = i == busiest ? *rc::gen::inRange(90, 100) / 100.0 : *rc::gen::inRange(0, 80) / 100.0;
    run.add("stage" + std::to_string(i), kind, share * replicas, replicas);
    sum += share * replicas;
  }
  run.data.cpu = std::chrono::nanoseconds(static_cast<std::int64_t>(sum * 1e9));
  const auto limit = run.limit();
  RC_ASSERT(limit.stage == "stage" + std::to_string(busiest));
  const int replicas = run.data.stages[static_cast<std::size_t>(busiest)].replicas;
  const auto expected = busiest == 0            ? limited_by::source
                        : busiest + 1 == stages ? limited_by::sink
                        : replicas == 1         ? limited_by::serial_stage
                                                : limited_by::replicas;
  RC_ASSERT(limit.reason == expected);
}

}  // namespace
