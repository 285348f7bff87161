#include <thalweg/run/back_end.hpp>
#include <thalweg/run/engine.hpp>
#include <thalweg/thalweg.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include "support/failure.hpp"

namespace tw = thalweg;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

auto job() {
  return tw::source(std::vector{1, 2, 3}) | tw::farm([](int x) { return x; }, {.name = "f"}) |
         tw::sink([](int) {});
}

TEST(Policy, TheDefaultIsThePool) {
  EXPECT_EQ(tw::any_policy().name(), "pool");
  EXPECT_EQ(tw::run(job()).policy(), "pool");
}

TEST(Policy, EveryPolicyHasANameThatMakesItAgain) {
  const std::vector<tw::any_policy> all{tw::sequential{}, tw::pool{}, tw::pool{.workers = 3}, tw::threads{},
                                        tw::threads{.replicas = 2}};
  std::vector<std::string> names;
  for (const auto& p : all) {
    names.push_back(p.name());
    EXPECT_EQ(tw::policy_from(p.name()).name(), p.name());
  }
  EXPECT_THAT(names, ElementsAre("sequential", "pool", "pool:3", "threads", "threads:2"));
}

tw::any_policy custom(const char* name, int workers = tw::automatic) {
  return {name, nullptr, tw::run_detail::make_sequential, workers};
}

TEST(Policy, SaysHowManyWorkersItHas) {
  EXPECT_EQ(tw::any_policy(tw::sequential{}).workers(), 1);
  EXPECT_EQ(tw::any_policy(tw::pool{.workers = 3}).workers(), 3);
  EXPECT_EQ(tw::policy_from("threads:4").workers(), 4);
  EXPECT_EQ(tw::any_policy(tw::pool{}).workers(), tw::automatic);
  EXPECT_EQ(custom("mine", 2).workers(), 2);
  EXPECT_EQ(custom("mine:5").workers(), 5);
  EXPECT_EQ(custom("mine:5", 2).workers(), 2);
  for (const auto* name : {"mine", "mine:", "mine:x", "mine:0", "mine:-1", "mine:5x", "5x"})
    EXPECT_EQ(custom(name).workers(), tw::automatic) << name;
}

TEST(Policy, IsTakenFromText) {
  for (const auto* text : {"sequential", "pool", "pool:1", "pool:4", "threads", "threads:3"}) {
    EXPECT_EQ(tw::run(job(), tw::policy_from(text)).policy(), text);
  }
}

TEST(Policy, UnknownTextIsRefusedWithTheNamesThereAre) {
  for (const auto* text : {"", "pol", "Pool", "pool ", " pool", "openmp", "sequential:1", "pool:", "pool:x",
                           "pool:2x", "pool:0", "pool:-1", "threads:0", "pool:99999999999999999999",
                           "pool:4097", "threads:65001", "pool:1:2", ":4"}) {
    try {
      (void)tw::policy_from(text);
      ADD_FAILURE() << "took '" << text << "'";
    } catch (const tw::error& e) {
      EXPECT_THAT(e.what(), AllOf(HasSubstr("'" + std::string(text) + "'"), HasSubstr("sequential"),
                                  HasSubstr("pool:N"), HasSubstr("threads:N")));
    }
  }
}

TEST(Policy, ANameIsKnownForAsLongAsItIsRegistered) {
  {
    const tw::registered_policy first("borrowed", [](int) -> tw::any_policy { return tw::sequential{}; });
    {
      const tw::registered_policy second("borrowed", [](int n) -> tw::any_policy { return tw::pool{n}; });
      EXPECT_EQ(tw::policy_from("borrowed:3").name(), "pool:3");
    }
    EXPECT_EQ(tw::policy_from("borrowed").name(), "sequential");
  }
  EXPECT_THROW((void)tw::policy_from("borrowed"), tw::error);
}

TEST(Policy, ANameMayStandForAnotherOne) {
  const tw::registered_policy alias("alias", [](int n) -> tw::any_policy {
    tw::register_policy("made by alias", [](int) -> tw::any_policy { return tw::sequential{}; });
    return tw::policy_from("threads:" + std::to_string(n));
  });
  EXPECT_EQ(tw::policy_from("alias:3").name(), "threads:3");  // or it waits for itself
  EXPECT_EQ(tw::policy_from("made by alias").name(), "sequential");
}

TEST(Policy, TheTextSaysWhichPartIsWrong) {
  const auto complaint = [](const char* text) -> std::string {
    try {
      (void)tw::policy_from(text);
    } catch (const tw::error& e) {
      return e.what();
    }
    return "none";
  };
  EXPECT_THAT(complaint("pool:0"), HasSubstr("must be between 1 and 4096"));
  EXPECT_THAT(complaint("sequential:0"), HasSubstr("takes no number"));
  EXPECT_THAT(complaint("foo:0"), testing::Not(HasSubstr("number")));
  EXPECT_THAT(complaint("tbb"), HasSubstr("include thalweg/run/tbb.hpp"));
}

TEST(Policy, ZeroAndNegativeNumbersAreRefused) {
  EXPECT_THAT(problems_of([] { tw::run(job(), tw::pool{.workers = 0}); }),
              ElementsAre(HasSubstr("between 1 and")));
  EXPECT_THAT(problems_of([] { tw::run(job(), tw::pool{.workers = -2}); }), ElementsAre(HasSubstr("-2")));
  EXPECT_THAT(problems_of([] { tw::run(job(), tw::threads{.replicas = 0}); }),
              ElementsAre(HasSubstr("at least 1")));
  EXPECT_THAT(problems_of([] { tw::run(job(), tw::threads{.slots = 0}); }),
              ElementsAre(HasSubstr("at least 1")));
}

TEST(Policy, MoreWorkersThanThereCanBeAreRefused) {
  EXPECT_THAT(problems_of([] { tw::run(job(), tw::pool{.workers = 100'000}); }),
              ElementsAre(HasSubstr("100000")));
}

TEST(Policy, ProcessorsOfThePoolMustExist) {
  EXPECT_THAT(problems_of([] { tw::run(job(), tw::pool{.pin = {100'000}}); }),
              ElementsAre(HasSubstr("100000")));
  EXPECT_THAT(problems_of([] { tw::run(job(), tw::pool{.pin = {-1}}); }), ElementsAre(HasSubstr("-1")));
}

TEST(Policy, ProcessorsOfTheThreadsMustExist) {
  EXPECT_THAT(problems_of([] { tw::run(job(), tw::threads{.slots = 0, .pin = {100'000}}); }),
              ElementsAre(HasSubstr("100000"), HasSubstr("slot")));
}

TEST(Policy, ThreadsAreBoundInTurn) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  std::vector<int> processors;
  for (int p = 0; p < CPU_SETSIZE; ++p) {
    if (CPU_ISSET(static_cast<std::size_t>(p), &allowed)) processors.push_back(p);
  }
  const auto pin = std::vector{processors.front(), processors.back()};
  int source_at = -1;
  int map_at = -1;
  int sink_at = -1;
  tw::run(tw::source([&, n = 0]() mutable -> std::optional<int> {
            source_at = sched_getcpu();
            return n < 1 ? std::optional(n++) : std::nullopt;
          }) | tw::map([&](int x) {
            map_at = sched_getcpu();
            return x;
          }) | tw::sink([&](int) { sink_at = sched_getcpu(); }),
          tw::threads{.pin = pin});
  EXPECT_EQ(source_at, pin[0]);
  EXPECT_EQ(map_at, pin[1]);
  EXPECT_EQ(sink_at, pin[0]);
}

// An engine of the user's. It executes nothing.
class idle_engine final : public tw::run_detail::engine {
 public:
  using engine::engine;
  void start(bool) override { state_->finished(); }
  void join() override { state_->flags.wait_done(); }
  void wake() override {}
};
tw::any_policy idle() {
  return {"idle", nullptr,
          [](std::unique_ptr<tw::run_detail::run_state> state,
             const void*) -> std::shared_ptr<tw::run_detail::engine> {
            return std::make_shared<idle_engine>(std::move(state));
          }};
}

TEST(Policy, AnEngineThatDoesNotSayThatItExecutesGraphsGetsNone) {
  int sum = 0;
  tw::graph g;
  auto& split = g.add<tw::split<int>>();
  g.connect(g.add(tw::source(std::vector{1, 2, 3})).out, split.in);
  for (int i = 0; i < 2; ++i) g.connect(split.branch(), g.add(tw::sink([&](int x) { sum += x; })).in);
  EXPECT_THAT(problems_of([&] { tw::run(g, idle()); }),
              ElementsAre(AllOf(HasSubstr("'idle'"), HasSubstr("lines"), HasSubstr("graph"))));
  EXPECT_THAT(problems_of([&] { (void)tw::launch(g, idle()); }), ElementsAre(HasSubstr("'idle'")));
  // Another policy takes it.
  tw::run(g, tw::sequential{});
  EXPECT_EQ(sum, 6);
}

TEST(Policy, AnEngineForLinesGetsLinesAlsoThoseOfGraphs) {
  EXPECT_EQ(tw::run(job(), idle()).policy(), "idle");
  tw::graph g;
  g.connect(g.add(tw::source(std::vector{1})).out, g.add(tw::sink([](int) {})).in);
  EXPECT_EQ(tw::run(g, idle()).policy(), "idle");
}

TEST(Policy, PinsOfStagesAreCheckedWithEverythingElse) {
  EXPECT_THAT(problems_of([] {
                tw::run(tw::source(std::vector{1}) |
                        tw::map([](int x) { return x; }, {.capacity = 0, .pin = {100'000}}) |
                        tw::sink([](int) {}));
              }),
              ElementsAre(HasSubstr(".capacity"), HasSubstr("100000")));
}

TEST(Policy, StagesOnTheCallersThreadShareItsProcessors) {
  EXPECT_THAT(problems_of([] {
                tw::run(tw::source(std::vector{1}, {.pin = {0}, .on = tw::caller_thread}) |
                        tw::map([](int x) { return x; }) |
                        tw::sink([](int) {}, {.pin = {0, 1}, .on = tw::caller_thread}));
              }),
              Contains(HasSubstr("caller's thread")));
}

TEST(Policy, MayBeCopiedAndUsedAgain) {
  const auto p = tw::policy_from("pool:2");
  auto q = p;
  EXPECT_EQ(tw::run(job(), p).items(), 3U);
  EXPECT_EQ(tw::run(job(), q).items(), 3U);
  q = tw::sequential{};
  EXPECT_EQ(tw::run(job(), q).policy(), "sequential");
}

TEST(Policy, ThreadsNCapsTheReplicasOfAllFarmsTogether) {
  const auto one = tw::farm([](int x) { return x; }, {.replicas = 4});
  const auto r = tw::run(tw::source(std::vector{1, 2, 3}) | one | one | tw::sink([](int) {}),
                         tw::threads{.replicas = 4});
  int all = 0;
  for (const auto& s : r.stages()) {
    if (s.name() != "source" && !s.is_sink()) all += s.replicas();
  }
  EXPECT_LE(all, 4);
  EXPECT_EQ(r.items(), 3U);
}

TEST(Policy, ThePoolHasAsManyWorkersAsAskedFor) {
  EXPECT_EQ(tw::run(job(), tw::pool{.workers = 3}).workers(), 3);
  EXPECT_GE(tw::run(job()).workers(), 1);
}

}  // namespace
