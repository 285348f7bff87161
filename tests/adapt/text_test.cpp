// What a run is told from outside of how it adapts itself.
#include <thalweg/adapt/text.hpp>

#include <chrono>
#include <limits>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>

namespace {

namespace tw = thalweg;
using namespace std::chrono_literals;
using kind = tw::adaptation::goal::kind;
using testing::HasSubstr;

// What is said of a text that is refused; empty if it is not.
std::string refused(const std::string& text) {
  try {
    (void)tw::adapt_from(text);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return {};
}

std::string a_planner() {
  return tw::adaptation::planner::names().front();
}

TEST(AdaptText, TakesAllSettingsInAnyOrder) {
  const auto how = tw::adapt_from(
      " processors=2.5\tmost=16 least=2 most_ranks=3 least_ranks=2  every=250ms goal=latency:0.95:20ms "
      "planner=" +
      a_planner() + "\n");
  EXPECT_EQ(how.planner.name(), a_planner());
  EXPECT_EQ(how.goal.what, kind::latency);
  EXPECT_EQ(how.goal.quantile, 0.95);
  EXPECT_EQ(how.goal.limit, 20ms);
  EXPECT_EQ(how.every, 250ms);
  EXPECT_EQ(how.bounds.least_replicas, 2);
  EXPECT_EQ(how.bounds.most_replicas, 16);
  EXPECT_EQ(how.bounds.most_processors, 2.5);
  EXPECT_EQ(how.bounds.least_ranks, 2);
  EXPECT_EQ(how.bounds.most_ranks, 3);
}

TEST(AdaptText, LeavesTheRestAsItIs) {
  const auto how = tw::adapt_from("planner=" + a_planner());
  EXPECT_EQ(how.goal.what, kind::keep_up);
  EXPECT_EQ(how.every, 100ms);
  EXPECT_EQ(how.bounds.least_replicas, 1);
  EXPECT_EQ(how.bounds.most_replicas, std::numeric_limits<int>::max());
  EXPECT_EQ(how.bounds.most_processors, 0);
}

TEST(AdaptText, KnowsAllGoals) {
  const auto goal = [](const std::string& text) {
    return tw::adapt_from("planner=" + a_planner() + " goal=" + text).goal;
  };
  EXPECT_EQ(goal("throughput").what, kind::throughput);
  EXPECT_EQ(goal("keep_up").what, kind::keep_up);
  EXPECT_EQ(goal("utilisation:0.7").what, kind::utilisation);
  EXPECT_EQ(goal("utilisation:0.7").share, 0.7);
  EXPECT_EQ(goal("utilisation:1").share, 1);
  EXPECT_EQ(goal("latency:0.999:1500us").limit, 1500us);
  EXPECT_EQ(goal("latency:0.5:2s").limit, 2s);
  EXPECT_EQ(goal("latency:0.5:3min").limit, 3min);
}

TEST(AdaptText, KnowsAllPlanners) {
  for (const auto& name : tw::adaptation::planner::names())
    EXPECT_EQ(tw::adapt_from("planner=" + name).planner.name(), name);
}

// A name may be that of a socket, or have options.
TEST(AdaptText, TakesAPlannersNameAsItIsUpToASpace) {
  EXPECT_THAT(refused("planner=a:b=c,d=/e goal=throughput"),
              HasSubstr("there is no planner 'a': it must be one of " + a_planner()));
}

TEST(AdaptText, SaysWhatIsWrongAndWhatIsPossible) {
  EXPECT_EQ(refused("speed=3"),
            "adaptation: 'speed=3': it must be one of planner=..., goal=..., every=..., least=..., most=..., "
            "processors=..., least_ranks=..., most_ranks=...");
  EXPECT_EQ(refused("fast"), "adaptation: 'fast': it must be KEY=VALUE");
  EXPECT_THAT(refused("planner=nobody"),
              HasSubstr("adaptation: there is no planner 'nobody': it must be one of " + a_planner()));
  EXPECT_THAT(refused("planner="), HasSubstr("there is no planner ''"));
  EXPECT_EQ(refused("most=3 most=4"), "adaptation: most is given twice");
  EXPECT_EQ(refused("least=5 most=4"), "adaptation: least=5 is above most=4");
  EXPECT_EQ(refused("least_ranks=5 most_ranks=4"), "adaptation: least_ranks=5 is above most_ranks=4");
}

TEST(AdaptText, SaysWhatIsWrongWithAGoal) {
  for (const auto* const goal : {"", "fast", "throughput:1", "latency", "latency:0.9", "latency:0.9:1ms:2",
                                 "utilisation", "utilisation:0.5:0.6", "keep_up:"}) {
    SCOPED_TRACE(goal);
    EXPECT_THAT(refused(std::string("goal=") + goal),
                HasSubstr(std::string("adaptation: goal '") + goal +
                          "': it must be throughput, keep_up, latency:QUANTILE:TIME"));
  }
  for (const auto* const quantile : {"0", "1", "-0.5", "99", "nan", "x", ""})
    EXPECT_EQ(
        refused(std::string("goal=latency:") + quantile + ":20ms"),
        std::string("adaptation: quantile '") + quantile + "': it must be above 0 and below 1, such as 0.99");
  for (const auto* const share : {"0", "1.01", "nan", "-1", "all", "0.5x"})
    EXPECT_EQ(
        refused(std::string("goal=utilisation:") + share),
        std::string("adaptation: share '") + share + "': it must be above 0 and 1 at most, such as 0.8");
}

TEST(AdaptText, SaysWhatIsWrongWithANumber) {
  for (const auto* const time : {"", "0ms", "100", "ms", "-5ms", "1.5s", "5 ms", "1h",
                                 "99999999999999999999s", "9223372036854775807s"}) {
    SCOPED_TRACE(time);
    EXPECT_THAT(refused(std::string("every=") + time), HasSubstr("every '"));
    EXPECT_THAT(refused(std::string("goal=latency:0.9:") + time), HasSubstr("limit '"));
  }
  EXPECT_EQ(refused("every=999us"), "adaptation: every '999us': it must be from 1ms to 60min");
  EXPECT_EQ(refused("every=61min"), "adaptation: every '61min': it must be from 1ms to 60min");
  EXPECT_EQ(tw::adapt_from("every=60min").every, 1h);
  EXPECT_EQ(tw::adapt_from("every=1ms").every, 1ms);
  for (const auto* const n : {"0", "-1", "1.5", "", "3000000000", "many"}) {
    EXPECT_THAT(refused(std::string("least=") + n), HasSubstr("it must be a whole number from 1 to"));
    EXPECT_THAT(refused(std::string("most=") + n), HasSubstr("it must be a whole number from 1 to"));
    EXPECT_THAT(refused(std::string("least_ranks=") + n), HasSubstr("it must be a whole number from 1 to"));
    EXPECT_THAT(refused(std::string("most_ranks=") + n), HasSubstr("it must be a whole number from 1 to"));
  }
  for (const auto* const n : {"0", "-1", "inf", "nan", "", "all"})
    EXPECT_EQ(refused(std::string("processors=") + n),
              std::string("adaptation: processors '") + n + "': it must be a number above 0");
}

}  // namespace
