// Controllers of a run over HTTP: they read its windows, and write what shall change.
#include <gmock/gmock.h>

#include "live/client.hpp"
#include "support/eventually.hpp"

using namespace live_test;
using testing::HasSubstr;

namespace {

const std::string token = "a token";
const httplib::Headers with_token{{"Authorization", "Bearer " + token}};
const std::string windows = "/api/controller?every_ms=5";

reply say(int port, const json& document) {
  return post(port, "/api/controller", document.dump(), token);
}

json two_replicas(const json& seq) {
  return {{"v", 1}, {"seq", seq}, {"replicas", {{"negate", 2}}}};
}

}  // namespace

TEST(live_controller, reads_windows_and_changes_the_run) {
  tw::live::server page(tw::launch(endless()), often(token));
  json answer, asked;
  const auto seen = events_until(
      page.port(), windows,
      [&](const event& e) {
        if (answer.is_null()) {
          asked = two_replicas(e.data["seq"]);
          answer = say(page.port(), asked).as_json();
        }
        return e.data["stages"][1]["replicas"]["wanted"] == 2;
      },
      with_token);
  EXPECT_EQ(answer["ack"], asked["seq"]);
  EXPECT_EQ(answer["replicas"]["negate"], 2);
  for (const auto& e : seen) EXPECT_EQ(e.name, "window");
  EXPECT_EQ(page.execution().stats().stage("negate").replicas(), 2);
  const auto decisions = page.execution().stats().decisions();
  ASSERT_EQ(decisions.size(), 1U);
  EXPECT_EQ(decisions[0].planner, "external");
}

TEST(live_controller, gets_nothing_it_may_not_have) {
  tw::live::server page(tw::launch(endless()), often(token));
  EXPECT_EQ(get(page.port(), windows).status, 401);
  EXPECT_EQ(post(page.port(), "/api/controller", "{}").status, 401);
  EXPECT_EQ(get(page.port(), "/api/controller?every_ms=0", with_token).status, 400);
  EXPECT_EQ(get(page.port(), "/api/controller?every_ms=soon", with_token).status, 400);
  const auto early = say(page.port(), two_replicas(1));
  EXPECT_EQ(early.status, 409);
  EXPECT_THAT(early.body, HasSubstr("no client reads"));
  EXPECT_EQ(page.execution().stats().stage("negate").replicas(), 1);
  tw::live::server closed(tw::launch(endless()), often());
  EXPECT_EQ(get(closed.port(), windows).status, 403);
}

TEST(live_controller, is_told_what_is_wrong_with_a_document) {
  tw::live::server page(tw::launch(endless()), often(token));
  std::vector<json> answers;
  (void)events_until(
      page.port(), windows,
      [&](const event& e) {
        const auto seq = e.data["seq"].get<int>();
        for (const json& document :
             {json("nonsense"), json{{"v", 1}, {"seq", seq}, {"replicas", {{"negat", 2}}}},
              json{{"v", 1}, {"seq", seq}, {"hold", true}}, json{{"v", 1}, {"seq", seq}, {"hold", true}}})
          answers.push_back(say(page.port(), document).as_json());
        return true;
      },
      with_token);
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_THAT(answers[0]["refused"][0], HasSubstr("no JSON object"));
  EXPECT_THAT(answers[1]["refused"][0], HasSubstr("no stage 'negat'"));
  EXPECT_TRUE(answers[2].contains("ack"));
  EXPECT_THAT(answers[3]["ignored"], HasSubstr("not above"));
}

// The planner of before is gone, and when the last controller leaves, nothing adapts the run.
TEST(live_controller, replaces_the_planner_until_it_leaves) {
  std::atomic<int> asked{0};
  const auto counts = [&asked](const tw::adaptation::window&) {
    ++asked;
    return tw::adaptation::changes{};
  };
  tw::live::server page(
      tw::launch(endless(), tw::pool{},
                 {.adapt = tw::adapt{.every = std::chrono::milliseconds(1), .planner = counts}}),
      often(token));
  ASSERT_TRUE(eventually([&] { return asked > 0; }));
  const auto first_window = [](const event&) { return true; };
  ASSERT_EQ(events_until(page.port(), windows, first_window, with_token).size(), 1U);
  const int then = asked;
  ASSERT_TRUE(eventually([&] { return say(page.port(), two_replicas(1)).status == 409; }));
  EXPECT_EQ(asked, then);
  // Another one may come.
  ASSERT_EQ(events_until(page.port(), windows, first_window, with_token).size(), 1U);
}

TEST(live_controller, does_not_take_over_by_asking_for_headers) {
  std::atomic<int> asked{0};
  const auto counts = [&asked](const tw::adaptation::window&) {
    ++asked;
    return tw::adaptation::changes{};
  };
  const std::chrono::milliseconds often_enough(1);
  tw::live::server page(
      tw::launch(endless(), tw::pool{}, {.adapt = tw::adapt{.every = often_enough, .planner = counts}}),
      often(token));
  EXPECT_EQ(reply_of(client_of(page.port()).Head(windows, with_token)).status, 405);
  const int then = asked;
  EXPECT_TRUE(eventually([&] { return asked > then + 1; }));
}

TEST(live_controller, hears_the_end_when_the_run_gets_another_planner) {
  tw::live::server page(tw::launch(endless()), often(token));
  const auto seen = events_until(
      page.port(), windows,
      [&](const event& e) {
        if (!is_end(e)) page.execution().adapt(tw::adapt{.planner = "ds2"});
        return is_end(e);
      },
      with_token);
  EXPECT_TRUE(is_end(seen.back()));
  EXPECT_EQ(say(page.port(), two_replicas(1)).status, 409);
}

TEST(live_controller, hears_that_the_run_is_over) {
  tw::live::server page(tw::launch(endless()), often(token));
  std::string last;
  (void)events_until(
      page.port(), windows,
      [&](const event& e) {
        page.execution().stop();
        last = e.name;
        return is_end(e);
      },
      with_token);
  EXPECT_EQ(last, "end");
  (void)page.wait();
  EXPECT_EQ(get(page.port(), windows, with_token).status, 409);
}
