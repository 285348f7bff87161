#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class Window : public under_every_policy {};
FOR_EVERY_POLICY(Window);

struct reading {
  std::string sensor;
  std::chrono::milliseconds at{0};
  int value = 0;
};

constexpr std::int64_t ms = 1'000'000;

TEST_P(Window, ByCount) {
  std::vector<tw::windowed<int>> seen;
  tw::run(tw::source(std::vector{1, 2, 3, 4, 5}) | tw::farm([](int x) { return x; }) |
              tw::window(tw::count(2), tw::sum_of()) | tw::sink(seen),
          policy());
  EXPECT_EQ(seen, (std::vector<tw::windowed<int>>{{0, 2, 3}, {2, 4, 7}, {4, 5, 5}}));
  seen.clear();
  tw::run(tw::source(std::vector{1, 2, 3, 4}) | tw::window(tw::count(3, 1), tw::max_of()) | tw::sink(seen),
          policy());
  EXPECT_EQ(seen, (std::vector<tw::windowed<int>>{{0, 3, 3}, {1, 4, 4}, {2, 4, 4}, {3, 4, 4}}));
}

TEST_P(Window, OfNothingIsNothing) {
  std::vector<tw::windowed<int>> seen;
  tw::run(tw::source(std::vector<int>{}) | tw::window(tw::count(2), tw::sum_of()) | tw::sink(seen), policy());
  tw::run(tw::source(std::vector<int>{}) | tw::window(tw::tumbling(1s), tw::sum_of()) | tw::sink(seen),
          policy());
  tw::run(tw::source(std::vector<int>{}) |
              tw::window(tw::session(1s), tw::sum_of(), tw::event_time(std::identity{})) | tw::sink(seen),
          policy());
  EXPECT_THAT(seen, IsEmpty());
}

TEST_P(Window, OfAKeyedStreamIsPerKey) {
  std::vector<tw::keyed<int, tw::windowed<std::int64_t>>> seen;
  tw::run(tw::source(std::vector{10, 21, 30, 40, 41}) | tw::key_by([](int x) { return x % 10; }) |
              tw::window(tw::count(2), tw::count_of()) | tw::sink(seen),
          policy());
  EXPECT_EQ(seen, (std::vector<tw::keyed<int, tw::windowed<std::int64_t>>>{
                      {0, {0, 2, 2}}, {1, {0, 2, 2}}, {0, {2, 3, 1}}}));
}

TEST_P(Window, ByEventTimeWithDisorderLatenessAndLateItems) {
  std::vector<reading> all{{"a", 1ms, 1},  {"b", 3ms, 2}, {"a", 12ms, 3}, {"a", 8ms, 4},
                           {"a", 16ms, 5}, {"a", 9ms, 6}, {"a", 40ms, 7}, {"b", 4ms, 8}};
  std::vector<tw::keyed<std::string, tw::windowed<int>>> seen;
  std::vector<int> late;
  const auto r = tw::run(
      tw::source(all) | tw::key_by(&reading::sensor) |
          tw::window(
              tw::tumbling(10ms), tw::sum_of(&reading::value),
              tw::event_time(&reading::at, {.disorder = 5ms,
                                            .lateness = 5ms,
                                            .late = [&](const reading& x) { late.push_back(x.value); }}),
              {.name = "w"}) |
          tw::sink(seen),
      policy());
  using out = tw::keyed<std::string, tw::windowed<int>>;
  EXPECT_EQ(seen, (std::vector<out>{{"a", {0, 10 * ms, 5}},
                                    {"b", {0, 10 * ms, 2}},
                                    {"a", {0, 10 * ms, 11, 1}},
                                    {"a", {10 * ms, 20 * ms, 8}},
                                    {"a", {40 * ms, 50 * ms, 7}}}));
  EXPECT_THAT(late, ElementsAre(8));
  EXPECT_EQ(r.stage("w").skipped(), 1U);
}

TEST_P(Window, ByEventTimeGivesTheSameUnderEveryPolicy) {
  const auto job = [](std::vector<std::int64_t>& seen) {
    return tw::source(std::views::iota(0, 20'000)) | tw::farm([](int x) { return x; }, {.replicas = 3}) |
           tw::key_by([](int x) { return x % 17; }) |
           tw::window(
               tw::sliding(100ns, 30ns), tw::sum_of(),
               tw::event_time([](int x) { return std::int64_t{x} - (x * 7 % 40); }, {.disorder = 40ns})) |
           tw::sink([&](const tw::keyed<int, tw::windowed<int>>& w) {
             seen.insert(seen.end(), {w.key, w.value.begin, w.value.end, w.value.value});
           });
  };
  std::vector<std::int64_t> expected;
  std::vector<std::int64_t> seen;
  tw::run(job(expected), tw::sequential{});
  tw::run(job(seen), policy());
  EXPECT_GT(seen.size(), 10'000U);
  EXPECT_EQ(seen, expected);
}

TEST_P(Window, TimesMayBeOfAnyUnitAndClock) {
  std::vector<tw::windowed<std::int64_t>> seen;
  const auto epoch = std::chrono::system_clock::time_point(100s);
  tw::run(tw::source(std::vector{1, 2, 15}) |
              tw::window(tw::tumbling(10s), tw::count_of(),
                         tw::event_time([&](int x) { return epoch + std::chrono::seconds(x); })) |
              tw::sink(seen),
          policy());
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].begin, 100'000 * ms);
  EXPECT_EQ(seen[1].value, 1);
}

TEST_P(Window, ATimeOutOfRangeEndsTheRun) {
  const auto never = std::chrono::system_clock::time_point::max();
  const auto f = failure_of([&] {
    tw::run(tw::source(std::vector{1}) |
                tw::window(tw::tumbling(1s), tw::count_of(), tw::event_time([&](int) { return never; }),
                           {.name = "w"}) |
                tw::sink([](const tw::windowed<std::int64_t>&) {}),
            policy());
  });
  EXPECT_EQ(f.stage, "w");
  EXPECT_THAT(f.cause, HasSubstr("146 years"));
}

TEST_P(Window, SessionsOfWholeWindows) {
  std::vector<std::string> seen;
  tw::run(tw::source(std::vector<std::int64_t>{1, 5, 30, 12, 50}) |
              tw::window(
                  tw::session(10ns),
                  [](std::span<const std::int64_t> all) {
                    std::string text;
                    for (const auto x : all) text += std::to_string(x) + " ";
                    return text;
                  },
                  tw::event_time(std::identity{}, {.disorder = 20ns})) |
              tw::sink([&](const tw::windowed<std::string>& w) { seen.push_back(w.value); }),
          policy());
  EXPECT_THAT(seen, ElementsAre("1 5 12 ", "30 ", "50 "));
}

TEST_P(Window, MeansAndLeasts) {
  std::vector<double> means;
  std::vector<int> leasts;
  tw::run(tw::source(std::vector<reading>{{"a", 0ms, 4}, {"a", 0ms, 1}}) |
              tw::window(tw::count(2), tw::mean_of(&reading::value)) |
              tw::sink([&](const tw::windowed<double>& w) { means.push_back(w.value); }),
          policy());
  tw::run(tw::source(std::vector<reading>{{"a", 0ms, 4}, {"a", 0ms, 1}}) |
              tw::window(tw::count(2), tw::min_of(&reading::value)) |
              tw::sink([&](const tw::windowed<int>& w) { leasts.push_back(w.value); }),
          policy());
  EXPECT_THAT(means, ElementsAre(2.5));
  EXPECT_THAT(leasts, ElementsAre(1));
}

TEST_P(Window, MoveOnlyItems) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1, 2, 3}) | tw::map([](int x) { return std::make_unique<int>(x); }) |
              tw::window(tw::count(2),
                         [](std::span<const std::unique_ptr<int>> all) {
                           return std::accumulate(all.begin(), all.end(), 0,
                                                  [](int sum, const auto& p) { return sum + *p; });
                         }) |
              tw::sink([&](const tw::windowed<int>& w) { seen.push_back(w.value); }),
          policy());
  EXPECT_THAT(seen, ElementsAre(3, 3));
}

TEST_P(Window, ByProcessingTimeNothingIsLost) {
  for (const bool sliding : {false, true}) {
    std::int64_t items = 0;
    std::int64_t before = 0;
    tw::run(tw::source([n = 0]() mutable -> std::optional<int> {
              if (n == 60) return {};
              if (n % 20 == 0) std::this_thread::sleep_for(3ms);
              return n++;
            }) | tw::farm([](int x) { return x; }) |
                tw::window(sliding ? tw::sliding(2ms, 1ms) : tw::tumbling(1ms), tw::count_of()) |
                tw::sink([&](const tw::windowed<std::int64_t>& w) {
                  EXPECT_LT(before, w.end);
                  before = w.end;
                  items += w.value;
                }),
            policy());
    EXPECT_EQ(items, sliding ? 120 : 60);
  }
}

TEST_P(Window, ByProcessingTimeItIsGivenWhileTheSourceStalls) {
  if (one_thread()) GTEST_SKIP() << "its one thread is in the source";
  if (GetParam() == "pool:1")
    GTEST_SKIP() << "its one worker, which would execute the sink, is in the source";
  for (const bool session : {false, true}) {
    std::atomic<std::int64_t> arrived{0};
    bool in_time = false;
    auto job = [&](auto spec) {
      return tw::source([&, n = 0]() mutable -> std::optional<int> {
               if (n == 3) in_time = eventually([&] { return arrived == 3; });
               return n < 5 ? std::optional(n++) : std::nullopt;
             }) |
             tw::key_by([](int x) { return x; }) | tw::window(spec, tw::count_of()) |
             tw::sink([&](const tw::keyed<int, tw::windowed<std::int64_t>>& w) { arrived += w.value.value; });
    };
    if (session) {
      tw::run(job(tw::session(5ms)), policy());
    } else {
      tw::run(job(tw::tumbling(5ms)), policy());
    }
    EXPECT_TRUE(in_time) << "windows must end though no item comes";
    EXPECT_EQ(arrived, 5);
  }
}

TEST_P(Window, AFailureEndsTheRun) {
  const auto f = failure_of([] {
    tw::run(tw::source(std::vector{1, 2, 3}) |
                tw::window(tw::count(2),
                           [](std::span<const int> all) {
                             return all.size() < 2 ? throw std::runtime_error("short") : all[0];
                           },
                           {.name = "w"}) |
                tw::sink([](const tw::windowed<int>&) {}),
            policy());
  });
  EXPECT_EQ(f.stage, "w");
  EXPECT_EQ(f.cause, "short");
}

TEST_P(Window, WhatFailsBehindItIsNotItsFailure) {
  for (const int fatal : {1, 2}) {  // in the stream, and at its end
    const auto f = failure_of([&] {
      tw::run(tw::source(std::vector{1, 2, 3}) | tw::window(tw::count(2), tw::sum_of(), {.name = "w"}) |
                  tw::map(
                      [&, n = 0](const tw::windowed<int>& w) mutable {
                        return ++n == fatal ? throw std::runtime_error("m") : w;
                      },
                      {.name = "m"}) |
                  tw::sink([](const tw::windowed<int>&) {}),
              policy());
    });
    EXPECT_EQ(f.stage, "m");
  }
}

template <class Spec, class... More> std::vector<std::string> problems_with(Spec spec, More... more) {
  return problems_of([&] {
    tw::run(tw::source(std::vector{1}) | tw::window(spec, tw::sum_of(), std::move(more)...) |
            tw::sink([](const tw::windowed<int>&) {}));
  });
}

TEST(WindowProblems, SizesThatMakeNoSense) {
  EXPECT_THAT(problems_with(tw::tumbling(0s)),
              ElementsAre(HasSubstr("size of its windows must be positive")));
  EXPECT_THAT(problems_with(tw::sliding(1s, -1s)), ElementsAre(HasSubstr("slide of its windows must be")));
  EXPECT_THAT(problems_with(tw::sliding(1s, 2s)), ElementsAre(HasSubstr("left out")));
  EXPECT_THAT(problems_with(tw::session(-1s)), ElementsAre(HasSubstr("gap of its windows must be positive")));
  EXPECT_THAT(problems_with(tw::count(0)), ElementsAre(HasSubstr("size of its windows must be positive")));
  EXPECT_THAT(problems_with(tw::count(std::numeric_limits<std::int64_t>::max())),
              ElementsAre(HasSubstr("too large")));
  EXPECT_THAT(
      problems_with(tw::tumbling(1s), tw::event_time(std::identity{}, {.disorder = -1s, .lateness = -1s})),
      ElementsAre(HasSubstr(".disorder is negative"), HasSubstr(".lateness is negative")));
}

TEST(WindowProblems, ErrorPoliciesAndFarms) {
  EXPECT_THAT(problems_with(tw::count(2), tw::options{.on_error = tw::skip}),
              ElementsAre(HasSubstr(".on_error can only be tw::stop")));
  EXPECT_THAT(problems_of([] {
                tw::run(tw::source(std::vector{1}) |
                        tw::farm(tw::window(tw::count(2), tw::sum_of()), {.unordered = true}) |
                        tw::sink([](const tw::windowed<int>&) {}));
              }),
              ElementsAre(HasSubstr("its state must see all items")));
}

TEST(WindowProblems, LateHandlersOfOtherItems) {
  EXPECT_THAT(
      problems_with(tw::tumbling(1s), tw::event_time(std::identity{}, {.late = [](const std::string&) {}})),
      ElementsAre(HasSubstr("another type")));
  EXPECT_THAT(problems_with(tw::tumbling(1s),
                            tw::event_time(std::identity{}, {.late = std::function<void(const int&)>{}})),
              ElementsAre(HasSubstr("null")));
}

TEST(WindowProblems, OverlappingWindowsOfWhatCannotBeCopied) {
  EXPECT_THAT(problems_of([] {
                tw::run(tw::source(std::vector{1}) | tw::map([](int x) { return std::make_unique<int>(x); }) |
                        tw::window(tw::count(2, 1),
                                   [](std::span<const std::unique_ptr<int>> all) { return all.size(); }) |
                        tw::sink([](const tw::windowed<std::size_t>&) {}));
              }),
              ElementsAre(HasSubstr("cannot be copied")));
}

template <class Spec, class... More> auto behind_unordered(Spec spec, More... more) {
  return tw::source(std::vector{1, 2}) | tw::farm([](int x) { return x; }, {.unordered = true, .name = "f"}) |
         tw::window(spec, tw::sum_of(), std::move(more)...) | tw::sink([](const tw::windowed<int>&) {});
}

TEST(WindowProblems, BehindAnUnorderedFarmAnyOrderMustBeSaid) {
  const auto refused = ElementsAre(AllOf(HasSubstr(".any_order"), HasSubstr("'f'")));
  EXPECT_THAT(problems_of([] { tw::run(behind_unordered(tw::count(2))); }), refused);
  EXPECT_THAT(problems_of([] { tw::run(behind_unordered(tw::tumbling(1s))); }), refused);
  EXPECT_THAT(problems_of([] { tw::run(behind_unordered(tw::session(1s))); }), refused);
  tw::run(behind_unordered(tw::count(2, {.any_order = true})));
  tw::run(behind_unordered(tw::tumbling(1s, {.any_order = true})));
  tw::run(behind_unordered(tw::session(1s, {.any_order = true})));
  tw::run(behind_unordered(tw::tumbling(1s), tw::event_time(std::identity{}, {.disorder = 1s})));
  EXPECT_THAT(problems_with(tw::tumbling(1s, {.any_order = true}), tw::event_time(std::identity{})),
              ElementsAre(HasSubstr(".any_order does nothing")));
  // Across the joints of an any_pipeline, too; and not where the order has been made again.
  tw::any_pipeline<int, int> mixed = tw::farm([](int x) { return x; }, {.unordered = true, .name = "f"});
  EXPECT_THAT(problems_of([&] {
                tw::run(tw::source(std::vector{1, 2}) | mixed | tw::window(tw::count(2), tw::sum_of()) |
                        tw::sink([](const tw::windowed<int>&) {}));
              }),
              refused);
  tw::run(tw::source(std::vector{1, 2}) | tw::farm([](int x) { return x; }, {.unordered = true}) |
          tw::reorder(std::identity{}, 10) | tw::window(tw::count(2), tw::sum_of()) |
          tw::sink([](const tw::windowed<int>&) {}));
}

// --- the time of operators ---

struct alone final : tw::model::context {
  std::atomic<std::int64_t> time{0};
  alone() {
    virtual_now_ns = &time;
    tallies.resize(1);
  }
  void flush(std::size_t, tw::pipe::chunk_base&) override {}
  void back_off(std::chrono::nanoseconds) override {}
  void one_at_a_time(thalweg::model::function_ref<void()>) override {}
  void wait_while_paused() override {}
  void counted(std::size_t, std::size_t) override {}
  void arrived(std::int64_t) override {}
};

template <class Pipeline> auto operator_of(Pipeline line) {
  auto stages = std::move(line).stages();
  return tw::model::get<0>(stages).template make<int>();
}

TEST(WindowTime, ProcessingTimeIsWhatTheContextSays) {
  alone ctx;
  const tw::model::frame<tw::model::mode::plain> f{ctx, 0};
  auto op = operator_of(tw::window(tw::tumbling(10ns), tw::sum_of()));
  std::vector<tw::windowed<int>> seen;
  auto next = [&](const tw::windowed<int>& w) { seen.push_back(w); };
  const auto at = [&](std::int64_t t, int x) {
    ctx.time = t;
    op.step(f, std::move(x), next);
  };
  EXPECT_EQ(op.deadline(), std::numeric_limits<std::int64_t>::max());
  at(1, 1);
  at(9, 2);
  EXPECT_EQ(op.deadline(), 10);
  at(10, 4);  // is of the next one
  EXPECT_EQ(seen, (std::vector<tw::windowed<int>>{{0, 10, 3}}));
  EXPECT_EQ(op.deadline(), 20);
  ctx.time = 19;
  op.on_time(f, next);
  EXPECT_EQ(seen.size(), 1U);
  ctx.time = 25;
  op.on_time(f, next);
  EXPECT_EQ(seen.back(), (tw::windowed<int>{10, 20, 4}));
  EXPECT_EQ(op.deadline(), std::numeric_limits<std::int64_t>::max());
  at(31, 8);
  op.finish(f, next);
  EXPECT_EQ(seen.back(), (tw::windowed<int>{30, 40, 8}));
}

TEST(WindowTime, AnIntervalOfABatchGoesByIt) {
  alone ctx;
  const tw::model::frame<tw::model::mode::plain> f{ctx, 0};
  auto op = operator_of(tw::batch(100, 10ns));
  std::vector<std::size_t> seen;
  auto next = [&](const std::vector<int>& g) { seen.push_back(g.size()); };
  ctx.time = 5;
  op.step(f, 1, next);
  op.step(f, 2, next);
  EXPECT_EQ(op.deadline(), 15);
  ctx.time = 14;
  op.on_time(f, next);
  EXPECT_THAT(seen, IsEmpty());
  ctx.time = 15;
  op.on_time(f, next);
  EXPECT_THAT(seen, ElementsAre(2U));
}

TEST(WindowTime, WithoutAVirtualTimeItIsThatOfTheClock) {
  alone ctx;
  ctx.virtual_now_ns = nullptr;
  const auto before = tw::observe::now_ns();
  const auto now = ctx.now();
  EXPECT_LE(before, now);
  EXPECT_LE(now, tw::observe::now_ns());
}

}  // namespace
