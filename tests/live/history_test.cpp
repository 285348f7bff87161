// What is kept, and who hears what of it.
#include "history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace std::chrono_literals;
using testing::ElementsAre;
using thalweg::live::history;

namespace {

std::vector<std::string> heard(const history& past, history::place& from) {
  std::vector<std::string> all;
  if (const auto events = past.after(from, 0ns)) {
    for (const auto& one : *events) all.push_back(std::string(one.name) + " " + *one.data);
  } else {
    all.emplace_back("closed");
  }
  return all;
}

}  // namespace

TEST(live_history, what_came_before_it_was_closed_is_still_heard) {
  history past(1min);
  past.begin("g");
  past.add(1s, "a", false);
  auto place = past.from(0ns);
  EXPECT_THAT(heard(past, place), ElementsAre("graph g", "sample a"));
  EXPECT_THAT(heard(past, place), ElementsAre());
  past.add(2s, "b", true);
  past.close();
  EXPECT_THAT(heard(past, place), ElementsAre("end b"));
  EXPECT_THAT(heard(past, place), ElementsAre("closed"));
}

TEST(live_history, another_run_begins_anew) {
  history past(1min);
  past.begin("g");
  past.add(1s, "a", false);
  auto place = past.from(std::nullopt);
  past.add(2s, "b", true);
  past.begin("h");
  past.add(1ms, "c", false);
  EXPECT_THAT(heard(past, place), ElementsAre("graph h", "sample c"));
  EXPECT_EQ(past.state(), R"({"version":1,"graph":h,"history":[c]})");
}

TEST(live_history, a_graph_is_told_of_when_it_changes) {
  history past(1min);
  past.begin("g");
  auto place = past.from(std::nullopt);
  EXPECT_THAT(heard(past, place), ElementsAre("graph g"));
  past.change("g");
  EXPECT_THAT(heard(past, place), ElementsAre());
  past.change("h");
  EXPECT_THAT(heard(past, place), ElementsAre("graph h"));
}

TEST(live_history, it_is_bounded_in_time_and_in_bytes) {
  history past(10s);
  past.begin("{}");
  for (int i = 0; i < 100; ++i) past.add(std::chrono::seconds(i), std::to_string(i), false);
  EXPECT_EQ(past.state(), R"({"version":1,"graph":{},"history":[89,90,91,92,93,94,95,96,97,98,99]})");
  for (int i = 0; i < 100; ++i) past.add(99s, std::string(1'000'000, 'x'), false);
  EXPECT_LE(past.state().size(), 17U << 20U);
  past.add(99s, std::string(100'000'000, 'x'), false);
  EXPECT_GE(past.state().size(), 100'000'000U);  // the newest one stays
}
