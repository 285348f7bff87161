#include <thalweg/observe/counters.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace thalweg::observe;

// Gives every counter another value, so that a sum or difference that mixes two up is seen.
void fill(stage_counters& c, std::uint64_t base) {
  std::uint64_t n = base;
  for (counter* each :
       {&c.items_in, &c.items_out, &c.runs, &c.service_ns, &c.sampled_items, &c.probes, &c.probe_ns,
        &c.wait_in_ns, &c.wait_out_ns, &c.errors, &c.retries, &c.skipped, &c.dead_lettered, &c.dropped}) {
    each->add(++n);
  }
  c.occupancy.sample(++n);
  c.reorder.sample(++n);
  c.displacement.sample(++n);
}

std::vector<std::uint64_t> sums(const stage_totals& t) {
  return {t.items_in,      t.items_out,  t.runs,          t.service_ns,  t.sampled_items,   t.probes,
          t.probe_ns,      t.wait_in_ns, t.wait_out_ns,   t.errors,      t.retries,         t.skipped,
          t.dead_lettered, t.dropped,    t.occupancy.sum, t.reorder.sum, t.displacement.sum};
}

TEST(counters, replicas_do_not_share_cache_lines) {
  static_assert(alignof(stage_counters) == counter_alignment &&
                sizeof(stage_counters) % counter_alignment == 0);
  static_assert(alignof(worker_counters) == counter_alignment);
  const std::vector<stage_counters> replicas(2);
  const auto distance =
      reinterpret_cast<const char*>(&replicas[1]) - reinterpret_cast<const char*>(&replicas[0]);
  EXPECT_GE(distance, static_cast<std::ptrdiff_t>(counter_alignment));
}

TEST(counters, negative_durations_add_nothing) {
  counter c;
  c.add_ns(5);
  c.add_ns(-3);
  c.add_ns(0);
  EXPECT_EQ(c.value(), 5u);
}

TEST(counters, a_level_keeps_mean_and_maximum) {
  level l;
  EXPECT_EQ(l.snapshot().mean(), 0);
  for (const std::uint64_t n : {4u, 10u, 1u}) l.sample(n);
  const level_totals t = l.snapshot();
  EXPECT_EQ(t.mean(), 5);
  EXPECT_EQ(t.max, 10u);
  EXPECT_EQ(t.samples, 3u);
}

TEST(counters, a_snapshot_holds_every_counter) {
  stage_counters c;
  fill(c, 100);
  std::vector<std::uint64_t> expected;
  for (std::uint64_t n = 101; n <= 117; ++n) expected.push_back(n);
  EXPECT_EQ(sums(c.snapshot()), expected);
}

TEST(counters, totals_add_up_over_replicas) {
  std::deque<stage_counters> replicas(3);
  for (std::size_t i = 0; i != 3; ++i) fill(replicas[i], 100 * (i + 1));
  std::vector<std::uint64_t> expected;
  for (std::uint64_t n = 1; n <= 17; ++n) expected.push_back(600 + 3 * n);
  EXPECT_EQ(sums(total_of(replicas)), expected);
  EXPECT_EQ(total_of(replicas).occupancy.max, 315u) << "maxima do not add up";
  EXPECT_EQ(total_of(replicas).occupancy.samples, 3u);

  std::vector<std::unique_ptr<stage_counters>> pointers;
  for (std::size_t i = 0; i != 3; ++i)
    fill(*pointers.emplace_back(std::make_unique<stage_counters>()), 100 * (i + 1));
  EXPECT_EQ(sums(total_of(pointers)), expected);

  EXPECT_EQ(sums(total_of(std::vector<stage_counters>{})), std::vector<std::uint64_t>(17, 0));
}

TEST(counters, a_window_is_the_difference_of_two_snapshots) {
  stage_counters c;
  fill(c, 100);
  const stage_totals start = c.snapshot();
  fill(c, 10);
  std::vector<std::uint64_t> expected;
  for (std::uint64_t n = 11; n <= 27; ++n) expected.push_back(n);
  const stage_totals window = c.snapshot().since(start);
  EXPECT_EQ(sums(window), expected);
  EXPECT_EQ(window.occupancy.samples, 1u);
  EXPECT_EQ(window.occupancy.max, 115u) << "that of the whole time";
  // Replicas may have gone meanwhile: no wrap below zero.
  EXPECT_EQ(sums(start.since(c.snapshot())), std::vector<std::uint64_t>(17, 0));
}

// Ten items through three fused stages; the last one gets half of them.
struct fused_stages {
  std::vector<stage_counters> stages = std::vector<stage_counters>(3);
  std::vector<std::uint64_t> items = {10, 10, 5};

  void probe(std::size_t stage, std::int64_t ns) {
    stages[stage].probes.add();
    stages[stage].probe_ns.add_ns(ns);
  }
  std::vector<std::uint64_t> times() const {
    return {stages[0].service_ns.value(), stages[1].service_ns.value(), stages[2].service_ns.value()};
  }
};

TEST(counters, fused_stages_share_their_time_as_their_probes_say) {
  fused_stages f;
  f.probe(0, 100);
  f.probe(1, 200);
  f.probe(1, 400);  // 300 on average
  f.probe(2, 400);
  share_time(f.stages, f.items, 60'000);
  EXPECT_EQ(f.times(), (std::vector<std::uint64_t>{10'000, 30'000, 20'000}));
  EXPECT_EQ(f.stages[0].sampled_items.value(), 10u);
  EXPECT_EQ(f.stages[2].sampled_items.value(), 5u);
}

TEST(counters, shared_time_adds_up_whatever_the_probes_say) {
  fused_stages f;
  f.items = {3, 7, 11};
  f.probe(0, 7);
  f.probe(2, 13);
  std::uint64_t sum = 0;
  for (std::int64_t busy = 0; busy != 1'000; ++busy) {
    share_time(f.stages, f.items, busy);
    sum += static_cast<std::uint64_t>(busy);
    const auto t = f.times();
    ASSERT_EQ(t[0] + t[1] + t[2], sum);
  }
  EXPECT_GT(f.times()[1], 0u) << "a stage that was never probed did something, too";
}

TEST(counters, stages_that_got_no_items_get_no_time) {
  fused_stages f;
  f.probe(0, 50);
  f.items = {10, 0, 0};
  share_time(f.stages, f.items, 5'000);
  EXPECT_EQ(f.times(), (std::vector<std::uint64_t>{5'000, 0, 0}));
  f.items = {0, 0, 0};
  share_time(f.stages, f.items, 1'000);
  EXPECT_EQ(f.times(), (std::vector<std::uint64_t>{5'000, 0, 0}));
}

TEST(counters, workers_add_up_too) {
  std::vector<worker_counters> workers(2);
  for (worker_counters& w : workers) {
    w.busy_ns.add(1'000);
    w.idle_ns.add(200);
    w.parks.add(30);
    w.wakes.add(4);
  }
  const worker_totals sum = total_of(workers);
  EXPECT_EQ(sum.busy_ns, 2'000u);
  EXPECT_EQ(sum.idle_ns, 400u);
  EXPECT_EQ(sum.parks, 60u);
  EXPECT_EQ(sum.wakes, 8u);
  const worker_totals window = sum.since(workers[0].snapshot());
  EXPECT_EQ(window.busy_ns, 1'000u);
  EXPECT_EQ(window.idle_ns, 200u);
  EXPECT_EQ(window.parks, 30u);
  EXPECT_EQ(window.wakes, 4u);
}

TEST(counters, are_read_while_they_are_written) {
  stage_counters c;
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int i = 0; i != 100'000; ++i) {
      c.items_in.add(3);
      c.runs.add();
      c.occupancy.sample(7);
    }
    done = true;
  });
  std::uint64_t seen = 0;
  while (!done) {
    const stage_totals t = c.snapshot();
    ASSERT_GE(t.items_in, seen);
    ASSERT_LE(t.occupancy.max, 7u);
    seen = t.items_in;
  }
  writer.join();
  EXPECT_EQ(c.snapshot().items_in, 300'000u);
  EXPECT_EQ(c.snapshot().occupancy.mean(), 7);
}

}  // namespace
