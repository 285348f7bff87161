#include <thalweg/model/options.hpp>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tw = thalweg;
using namespace std::chrono_literals;

namespace {

using action = tw::error_policy::action;

TEST(Options, EveryFieldHasADefault) {
  const tw::options o;
  EXPECT_EQ(o.replicas, tw::automatic);
  EXPECT_FALSE(o.unordered);
  EXPECT_EQ(o.capacity, tw::automatic);
  EXPECT_TRUE(o.on_error.plain());
  EXPECT_TRUE(o.pin.empty());
  EXPECT_TRUE(o.name.empty());
  EXPECT_EQ(o.schedule.how(), tw::schedule::kind::on_demand);
  EXPECT_FALSE(o.blocking);
  EXPECT_EQ(o.on, tw::placement::anywhere);
}

TEST(Options, DesignatedInitialisersNameThemInTheDocumentedOrder) {
  const tw::options o{.replicas = 2,
                      .unordered = true,
                      .capacity = 3,
                      .on_error = tw::skip,
                      .pin = {0},
                      .name = "x",
                      .schedule = tw::round_robin,
                      .blocking = true,
                      .on = tw::caller_thread};
  EXPECT_EQ(o.replicas, 2);
  EXPECT_EQ(o.name, "x");
  EXPECT_EQ(o.on, tw::placement::caller_thread);
}

TEST(ErrorPolicy, StopIsPlain) {
  EXPECT_TRUE(tw::stop.plain());
  EXPECT_EQ(tw::stop.last(), action::stop);
  EXPECT_EQ(tw::stop.retries(), 0);
}

TEST(ErrorPolicy, SkipAndDeadLetterAreNot) {
  EXPECT_FALSE(tw::skip.plain());
  EXPECT_EQ(tw::skip.last(), action::skip);
  const auto letter = tw::dead_letter([](const int&, std::exception_ptr) {});
  EXPECT_FALSE(letter.plain());
  EXPECT_EQ(letter.last(), action::dead_letter);
  ASSERT_NE(letter.handled_type(), nullptr);
  EXPECT_EQ(*letter.handled_type(), typeid(int));
}

TEST(ErrorPolicy, RetryStopsWhenNothingFollows) {
  const auto p = tw::retry(3, 10ms);
  EXPECT_FALSE(p.plain());
  EXPECT_EQ(p.last(), action::stop);
  EXPECT_EQ(p.retries(), 3);
  EXPECT_EQ(p.delay(), 10ms);
}

TEST(ErrorPolicy, ThenComposes) {
  const auto p = tw::retry(3, 10ms).then(tw::skip);
  EXPECT_EQ(p.last(), action::skip);
  EXPECT_EQ(p.retries(), 3);
  EXPECT_EQ(p.delay(), 10ms);

  std::vector<int> buried;
  const auto q =
      tw::retry(1, 5ms).then(tw::dead_letter([&](const int& x, std::exception_ptr) { buried.push_back(x); }));
  EXPECT_EQ(q.last(), action::dead_letter);
  EXPECT_EQ(q.retries(), 1);
  EXPECT_EQ(*q.handled_type(), typeid(int));
  const int item = 7;
  q.dead_letter_handler()(&item, nullptr);
  EXPECT_EQ(buried, std::vector{7});
}

TEST(ErrorPolicy, AGenericHandlerNamesItsItemType) {
  std::string seen;
  const auto p = tw::dead_letter<std::string>([&](const auto& text, std::exception_ptr) { seen = text; });
  EXPECT_EQ(*p.handled_type(), typeid(std::string));
  const std::string item = "letter";
  p.dead_letter_handler()(&item, nullptr);
  EXPECT_EQ(seen, "letter");
}

TEST(Schedule, ARouterNamesTheReplicaModuloTheirNumber) {
  const auto s = tw::route([](const int& x, std::size_t) { return static_cast<std::size_t>(x); });
  EXPECT_EQ(s.how(), tw::schedule::kind::route);
  EXPECT_EQ(*s.routed_type(), typeid(int));
  const int item = 7;
  EXPECT_EQ(s(&item, 4), 3U);
}

TEST(Schedule, ARouterIsToldHowManyReplicasThereAre) {
  const auto s = tw::route<int>([](const auto&, std::size_t n) { return n - 1; });
  const int item = 0;
  EXPECT_EQ(s(&item, 5), 4U);
}

TEST(Schedule, HasNames) {
  EXPECT_EQ(tw::on_demand.how(), tw::schedule::kind::on_demand);
  EXPECT_EQ(tw::round_robin.how(), tw::schedule::kind::round_robin);
}

}  // namespace
