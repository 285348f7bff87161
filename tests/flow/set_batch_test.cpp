// What closes a batch, set while the run goes on.
#include <thalweg/run/settings.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "support/eventually.hpp"
#include "support/policies.hpp"
#include "support/refusal.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr std::int64_t endless = 1'000'000'000;
using group = std::vector<int>;

class SetBatch : public under_every_policy {};
FOR_EVERY_POLICY(SetBatch);

// The run, for operators of the run itself: they may be called before `launch` returns.
class run_inside {
 public:
  void is(tw::execution& e) {
    run_ = &e;
    run_.notify_all();
  }
  tw::execution& operator*() const {
    run_.wait(nullptr);
    return *run_;
  }

 private:
  std::atomic<tw::execution*> run_{nullptr};
};

// The limits of items, in the order in which they are set, by one thread at a time.
class limit_log {
 public:
  explicit limit_log(std::int64_t first) : limits_{first} {}

  template <class Set> void change(std::int64_t to, Set&& set) {
    const std::lock_guard one(setting_);
    {
      const std::lock_guard hold(lock_);
      limits_.push_back(to);
    }
    set();
    const std::lock_guard hold(lock_);
    in_force_ = limits_.size() - 1;
  }
  [[nodiscard]] std::size_t in_force() const {
    const std::lock_guard hold(lock_);
    return in_force_;
  }
  // The largest from that one until now.
  [[nodiscard]] std::int64_t most_since(std::size_t first) const {
    const std::lock_guard hold(lock_);
    return *std::max_element(limits_.begin() + static_cast<std::ptrdiff_t>(first), limits_.end());
  }

 private:
  std::mutex setting_;
  mutable std::mutex lock_;
  std::vector<std::int64_t> limits_;
  std::size_t in_force_ = 0;
};

struct numbered {
  int number = 0;
  std::size_t limit = 0;  // that which was in force when it came
};

// A source of numbers, during which limits are set by it and beside it, and what checks the groups.
class changing_run {
 public:
  static constexpr int count = 20'000;

  explicit changing_run(std::uint32_t seed, std::string stage = "blocks")
      : random_(seed), stage_(std::move(stage)) {}

  auto source() {
    return tw::source([this, n = 0]() mutable -> std::optional<numbered> {
      if (n == count) return {};
      if (random_() % 300 == 0) set(random_());
      if (random_() % 1000 == 0) std::this_thread::sleep_for(50us);
      return numbered{n++, log_.in_force()};
    });
  }
  auto sink() {
    return tw::sink([this](const std::vector<numbered>& items) {
      const auto first = std::ranges::min(items, {}, &numbered::limit).limit;
      too_large_ += static_cast<std::int64_t>(items.size()) > log_.most_since(first) ? 1 : 0;
      largest_ = std::max(largest_, items.size());
      for (const auto& i : items) seen_.push_back(i.number);
    });
  }

  static constexpr std::int64_t first_limit = 50;

  template <class Job> tw::report run(Job&& job, const tw::any_policy& policy) {
    auto e = tw::launch(std::forward<Job>(job), policy);
    run_.is(e);
    {
      const std::jthread beside([&](const std::stop_token& stop) {
        std::minstd_rand random(7);
        while (!stop.stop_requested() && !e.done()) {
          set(static_cast<std::uint32_t>(random()));
          std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
        }
      });
      while (!e.wait_for(1ms)) std::this_thread::yield();
    }
    return e.wait();
  }

  void expect_all(bool ordered) {
    EXPECT_EQ(too_large_, 0);
    EXPECT_GT(largest_, 1U);
    if (!ordered) std::ranges::sort(seen_);
    ASSERT_EQ(seen_.size(), static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) ASSERT_EQ(seen_[static_cast<std::size_t>(i)], i);
  }

 private:
  void set(std::uint32_t random) {
    const std::int64_t to = 1 + random % (random % 3 == 0 ? 5 : 100);
    log_.change(to, [&] { (*run_).set_batch(stage_, {.items = to}); });
  }

  std::minstd_rand random_;
  std::string stage_;
  run_inside run_;
  limit_log log_{first_limit};
  std::vector<int> seen_;
  std::size_t largest_ = 0;
  int too_large_ = 0;
};

TEST_P(SetBatch, AtAnyMomentLosesNothingAndKeepsTheOrder) {
  changing_run it(1);
  const auto r = it.run(it.source() | tw::farm([](numbered x) { return x; }, {.replicas = 3}) |
                            tw::batch(changing_run::first_limit, {.name = "blocks"}) | it.sink(),
                        policy());
  it.expect_all(true);
  EXPECT_GT(r.batch_changes().size(), 10U);
  EXPECT_EQ(r.stage("blocks").batch(), r.batch_changes().back().to);
  EXPECT_EQ(r.batch_changes().front().from.items, changing_run::first_limit);
  for (std::size_t i = 1; i < r.batch_changes().size(); ++i)
    EXPECT_EQ(r.batch_changes()[i].from, r.batch_changes()[i - 1].to);
}

TEST_P(SetBatch, OfABatchWithATimer) {
  changing_run it(2);
  tw::batching limits({.items = changing_run::first_limit, .interval = 1h});
  it.run(it.source() | tw::batch(limits, {.name = "blocks"}) |
             tw::farm([](std::vector<numbered> g) { return g; }, {.replicas = 2}) | it.sink(),
         policy());
  it.expect_all(true);
}

TEST_P(SetBatch, InAFarm) {
  changing_run it(3, "f/blocks");
  it.run(it.source() |
             tw::farm(tw::map([](numbered x) { return x; }) |
                          tw::batch(changing_run::first_limit, {.name = "blocks"}),
                      {.replicas = 3, .unordered = true, .name = "f"}) |
             it.sink(),
         policy());
  it.expect_all(false);
}

TEST_P(SetBatch, InAGraph) {
  changing_run it(4);
  tw::graph g;
  auto numbers = g.add(it.source());
  auto blocks =
      g.add<numbered>(tw::batch(tw::batch_limits{.items = changing_run::first_limit}, {.name = "blocks"}));
  auto end = g.add(it.sink());
  g.connect(numbers.out, blocks.in, {.capacity = 64});
  g.connect(blocks.out, end.in);
  it.run(g, policy());
  it.expect_all(true);
}

// It closes a batch that would never have been full.
TEST_P(SetBatch, HoldsFromTheNextItemOn) {
  run_inside run;
  std::vector<group> seen;
  auto e = tw::launch(tw::source([&, n = 0]() mutable -> std::optional<int> {
                        if (n == 5) (*run).set_batch("blocks", {.items = 2});
                        return n < 10 ? std::optional(n++) : std::nullopt;
                      }) | tw::batch(endless, {.name = "blocks"}) |
                          tw::sink(seen),
                      policy());
  run.is(e);
  const auto r = e.wait();
  ASSERT_GE(seen.size(), 3U);
  EXPECT_LE(seen.front().size(), 6U) << "those before, and the next one";
  int next = 0;
  for (const auto& g : seen) {
    EXPECT_TRUE(g.size() == 2 || &g == &seen.front() || &g == &seen.back()) << g.size();
    for (const int x : g) EXPECT_EQ(x, next++);
  }
  EXPECT_EQ(next, 10);
  EXPECT_LE(seen.back().size(), 2U);
  EXPECT_EQ(r.stage("blocks").batch(), (tw::batch_limits{.items = 2}));
}

TEST_P(SetBatch, AnIntervalSendsWhatIsPending) {
  if (one_thread() || GetParam() == "pool:1") GTEST_SKIP() << "its one thread is in the source";
  run_inside run;
  std::atomic<std::size_t> arrived{0};
  bool in_time = false;
  auto e = tw::launch(tw::source([&, n = 0]() mutable -> std::optional<int> {
                        if (n == 0) (*run).set_batch("blocks", {.interval = 5ms});
                        if (n == 3) in_time = eventually([&] { return arrived == 3; });
                        return n < 4 ? std::optional(n++) : std::nullopt;
                      }) | tw::batch(endless, 1h, {.name = "blocks"}) |
                          tw::sink([&](const group& g) { arrived += g.size(); }),
                      policy());
  run.is(e);
  (void)e.wait();
  EXPECT_TRUE(in_time);
  EXPECT_EQ(arrived, 4U);
}

auto hardly_ever() {
  return tw::paced([n = 0]() mutable { return std::optional(n++); }, 1e-5, {.name = "ticks"});
}
auto job(const tw::batching& limits) {
  return hardly_ever() | tw::batch(limits, {.name = "blocks"}) |
         tw::sink([](const group&) {}, {.name = "end"});
}
auto job(std::int64_t items) {
  return hardly_ever() | tw::batch(items, {.name = "blocks"}) |
         tw::sink([](const group&) {}, {.name = "end"});
}

std::int64_t items_of(const tw::execution& e) {
  return e.stats().stage("blocks").batch().value_or(tw::batch_limits{}).items;
}

TEST(BatchChange, OfABatchingAndThisTheLaterHolds) {
  tw::batching limits({.items = 3});
  auto e = tw::launch(job(limits), {.stages = {{.stage = "blocks", .batch = tw::batch_limits{.items = 4}}}});
  EXPECT_TRUE(eventually([&] { return items_of(e) == 4; }));
  limits.set({.items = 5});
  EXPECT_EQ(items_of(e), 5);
  e.set_batch("blocks", {.items = 6});
  EXPECT_EQ(items_of(e), 6);
  EXPECT_EQ(limits.limits().items, 5) << "other runs keep it";
  limits.set({.items = 5});
  EXPECT_EQ(items_of(e), 5);
}

TEST(BatchChange, HoldsForOneRun) {
  const auto again = job(7);
  auto other = tw::launch(again), e = tw::launch(again);
  EXPECT_TRUE(eventually([&] { return items_of(other) == 7 && items_of(e) == 7; }));
  e.set_batch("blocks", {.items = 8});
  EXPECT_EQ(items_of(e), 8);
  EXPECT_EQ(items_of(other), 7);
  EXPECT_TRUE(other.stats().batch_changes().empty());
  EXPECT_FALSE(other.stats().stage("end").batch().has_value());
}

TEST(BatchChange, AfterTheEndNothingChanges) {
  auto e = tw::launch(tw::source(std::vector{1, 2}) | tw::batch(2, {.name = "blocks"}) |
                      tw::sink([](const group&) {}));
  (void)e.wait();
  e.set_batch("blocks", {.items = 8});
  EXPECT_TRUE(e.stats().batch_changes().empty());
  EXPECT_EQ(items_of(e), 2);
}

TEST(BatchChange, WhatCannotBeIsRefused) {
  auto e = tw::launch(job(7));
  EXPECT_THAT(refusal_of([&] { e.set_batch("block", {.items = 1}); }),
              HasSubstr("set_batch: there is no stage 'block'; did you mean 'blocks'?"));
  EXPECT_THAT(refusal_of([&] { e.set_batch("end", {.items = 1}); }),
              HasSubstr("stage 'end' is no tw::batch, so it has no limits"));
  EXPECT_THAT(refusal_of([&] { e.set_batch("blocks", {}); }),
              HasSubstr("'blocks' cannot have these limits: a batch would never be closed"));
  EXPECT_THAT(refusal_of([&] { e.set_batch("blocks", {.items = -1}); }),
              HasSubstr("at least 1 item, not -1"));
  EXPECT_THAT(refusal_of([&] { e.set_batch("blocks", {.interval = -1ms}); }), HasSubstr("negative"));
  EXPECT_THAT(refusal_of([&] { e.set_batch("blocks", {.items = 1, .interval = 1ms}); }),
              HasSubstr("'blocks' was made without an interval"));
  EXPECT_TRUE(e.stats().batch_changes().empty());
  EXPECT_TRUE(eventually([&] { return items_of(e) == 7; }));
}

TEST(BatchChange, ASettingHoldsFromTheBeginningOn) {
  std::vector<group> seen;
  const auto numbers = tw::source(std::vector{1, 2, 3}) | tw::batch(1, {.name = "blocks"}) | tw::sink(seen);
  const tw::run_options two{.stages = {{.stage = "blocks", .batch = tw::batch_limits{.items = 2}}}};
  const auto r = tw::run(numbers, two);
  EXPECT_THAT(seen, ElementsAre(group{1, 2}, group{3}));
  EXPECT_TRUE(r.batch_changes().empty()) << "nothing has changed since it began";
}

// Also where nothing would wake it by the job alone.
TEST(BatchChange, ASettingMayGiveATime) {
  std::atomic<std::size_t> arrived{0};
  bool in_time = false;
  const tw::run_options soon{.stages = {{.stage = "blocks", .batch = tw::batch_limits{.interval = 5ms}}}};
  (void)tw::run(tw::source([&, n = 0]() mutable -> std::optional<int> {
                  if (n == 3) in_time = eventually([&] { return arrived == 3; });
                  return n < 4 ? std::optional(n++) : std::nullopt;
                }) | tw::batch(endless, {.name = "blocks"}) |
                    tw::sink([&](const group& g) { arrived += g.size(); }),
                tw::threads{}, soon);
  EXPECT_TRUE(in_time);
}

TEST(BatchChange, WrongSettingsAreRefused) {
  const auto problem = [](tw::stage_setting its) {
    return refusal_of([&] { (void)tw::run(job(7), {.stages = {std::move(its)}}); });
  };
  const tw::batch_limits two{.items = 2};
  EXPECT_THAT(problem({.stage = "blcks", .batch = two}),
              HasSubstr("there is no stage 'blcks'; the batches are: blocks"));
  EXPECT_THAT(problem({.stage = "end", .batch = two}),
              HasSubstr("'end' is no tw::batch, so .batch does nothing"));
  EXPECT_THAT(problem({.stage = "blocks", .batch = tw::batch_limits{}, .from = "a.conf:3"}),
              HasSubstr("a.conf:3: stage 'blocks': a batch would never be closed"));
}

TEST(BatchChange, SettingsAreReadAsText) {
  const auto read = [](const char* text) {
    ::setenv("THALWEG_BATCH", text, 1);
    const auto all = [] {
      try {
        return tw::settings::from_environment().options().stages;
      } catch (...) {
        ::unsetenv("THALWEG_BATCH");
        throw;
      }
    }();
    ::unsetenv("THALWEG_BATCH");
    return all;
  };
  const auto stages = read("blocks=64, a/rows=10ms, both=5+2s");
  ASSERT_EQ(stages.size(), 3U);
  EXPECT_EQ(stages[0].stage, "blocks");
  EXPECT_EQ(stages[0].batch, (tw::batch_limits{.items = 64}));
  EXPECT_EQ(stages[1].stage, "a/rows");
  EXPECT_EQ(stages[1].batch, (tw::batch_limits{.interval = 10ms}));
  EXPECT_EQ(stages[2].batch, (tw::batch_limits{.items = 5, .interval = 2s}));
  for (const auto* wrong :
       {"blocks", "blocks=", "blocks=0", "blocks=-5", "blocks=1.5", "blocks=10m", "blocks=5+"})
    EXPECT_THAT(refusal_of([&] { (void)read(wrong); }), HasSubstr("THALWEG_BATCH")) << wrong;
}

// Is removed with this object.
struct file_for_a_while {
  explicit file_for_a_while(const char* name)
      : path((std::filesystem::temp_directory_path() / ("set_batch-" + std::to_string(::getpid()) + name))
                 .string()) {}
  file_for_a_while(const file_for_a_while&) = delete;
  file_for_a_while& operator=(const file_for_a_while&) = delete;
  ~file_for_a_while() { std::filesystem::remove(path); }
  [[nodiscard]] std::string text() const {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const std::string path;
};

TEST(BatchChange, IsInTheReportTheTraceAndTheSamples) {
  const file_for_a_while trace("trace.json"), samples("samples.jsonl");
  auto e = tw::launch(hardly_ever() | tw::batch(7, 1h, {.name = "blocks"}) | tw::sink([](const group&) {}),
                      {.trace = trace.path, .monitor = samples.path, .every = 1h});
  EXPECT_TRUE(eventually([&] { return items_of(e) == 7; }));
  e.set_batch("blocks", {.items = 64, .bytes = 1'000'000, .interval = 10ms});
  const auto before = e.stats();
  e.set_batch("blocks", {.bytes = 5'000});
  e.stop();
  const auto r = e.wait();
  EXPECT_THAT(r.to_string(), HasSubstr("batch    of blocks from 7 items or 1 h"));
  EXPECT_THAT(r.to_string(), HasSubstr("to 64 items or 1.00 MB or 10.0 ms after"));
  EXPECT_THAT(
      r.to_json(),
      HasSubstr(R"("from":{"items":64,"bytes":1000000,"interval_ns":10000000},"to":{"bytes":5000}})"));
  EXPECT_THAT(r.to_json(), HasSubstr(R"("batch":{"bytes":5000})"));
  EXPECT_EQ(r.since(before).batch_changes().size(), 1U);
  EXPECT_THAT(trace.text(), HasSubstr("batch from 64 items or 1.00 MB or 10.0 ms to 5.00 kB"));
  EXPECT_THAT(samples.text(), HasSubstr(R"("batch":{"bytes":5000})"));
  EXPECT_THAT(samples.text(), HasSubstr(R"("batch_changes":[{"at_ns":)"));
}

}  // namespace
