// Clients that look into the stream.
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "live/client.hpp"

using namespace live_test;
using testing::HasSubstr;

namespace {

const std::string token = "a token";

reply tap(const tw::live::server& page, const std::string& query, const std::string& as = token) {
  httplib::Headers headers;
  if (!as.empty()) headers.emplace("Authorization", "Bearer " + as);
  return get(page.port(), "/api/tap?" + query, headers);
}

std::string error_of(const reply& said) {
  return said.as_json()["error"];
}

auto markup() {
  return tw::source([]() -> std::optional<std::string> { return "<script>alert(\"1\")</script>\x1b\n"; },
                    {.name = "read, or so"}) |
         tw::map([](std::string text) { return text; }, {.name = "a,b"}) |
         tw::sink([](const std::string&) {}, {.name = "write"});
}

}  // namespace

TEST(live_tap, shows_the_third_item) {
  const tw::live::server page(tw::launch(endless()), often(token));
  const auto said = tap(page, "edge=numbers,negate&items=3&wait=10000");
  EXPECT_EQ(said.status, 200);
  EXPECT_THAT(said.header("Content-Type"), HasSubstr("application/json"));
  const auto seen = said.as_json();
  EXPECT_EQ(seen["edge"], json({"numbers", "negate"}));
  ASSERT_EQ(seen["items"].size(), 3U);
  EXPECT_GE(seen["items"][2]["at_ns"], seen["items"][0]["at_ns"]);
  EXPECT_GE(std::stoi(seen["items"][2]["text"].get<std::string>()), 2);
}

TEST(live_tap, names_the_edge_of_a_stage) {
  const tw::live::server page(tw::launch(endless()), often(token));
  const auto edge_of = [&](const std::string& stage) {
    return tap(page, "stage=" + stage + "&items=1&wait=10000").as_json()["edge"];
  };
  EXPECT_EQ(edge_of("forget"), json({"negate", "forget"}));
  EXPECT_EQ(edge_of("numbers"), json({"numbers", "negate"}));  // of a source, what it gives
}

TEST(live_tap, needs_the_token) {
  const tw::live::server closed(tw::launch(endless()), often());
  EXPECT_EQ(tap(closed, "stage=negate", "").status, 403);
  EXPECT_EQ(tap(closed, "stage=negate", "x").status, 403);
  const tw::live::server page(tw::launch(endless()), often(token));
  for (const auto* wrong : {"", "a toke", "A TOKEN"}) {
    const auto said = tap(page, "stage=negate", wrong);
    EXPECT_EQ(said.status, 401) << wrong;
    EXPECT_EQ(said.header("WWW-Authenticate"), "Bearer");
    EXPECT_THAT(said.body, testing::Not(HasSubstr("items")));
  }
}

TEST(live_tap, what_makes_no_sense_is_refused_with_the_reason) {
  const tw::live::server page(tw::launch(endless()), often(token));
  const auto refused = [&](const std::string& query) {
    const auto said = tap(page, query);
    EXPECT_EQ(said.status, 400) << query;
    return error_of(said);
  };
  EXPECT_THAT(refused(""), HasSubstr("name an edge"));
  EXPECT_THAT(refused("edge=numbers"), HasSubstr("two stages"));
  EXPECT_THAT(refused("edge=numbers,negat"), HasSubstr("did you mean 'negate'?"));
  EXPECT_THAT(refused("edge=numbers,forget"), HasSubstr("no edge leads from"));
  EXPECT_THAT(refused("stage=nobody"), HasSubstr("no stage 'nobody'"));
  for (const auto* number : {"0", "-1", "101", "1.5", "x", "99999999999999999999"})
    refused(std::string("stage=negate&items=") + number);
  for (const auto* wait : {"-1", "10001", "x"}) refused(std::string("stage=negate&wait=") + wait);
}

TEST(live_tap, items_are_text) {
  const tw::live::server page(tw::launch(markup()), often(token));
  for (const auto* query : {"edge=read,%20or%20so,a,b&items=1&wait=10000", "stage=a,b&items=1&wait=10000"}) {
    const auto said = tap(page, query);
    ASSERT_EQ(said.status, 200) << said.body;
    EXPECT_EQ(said.as_json()["edge"], json({"read, or so", "a,b"}));
    EXPECT_EQ(said.as_json()["items"][0]["text"], R"(<script>alert("1")</script>\x1b\x0a)");
  }
}

TEST(live_tap, answers_what_came_within_its_time) {
  const auto none = [n = 0]() mutable -> std::optional<int> {
    if (n++ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 1;
  };
  const tw::live::server page(tw::launch(tw::source(none, {.name = "read"}) |
                                         tw::filter([](int x) { return x > 1; }, {.name = "none"}) |
                                         tw::sink([](int) {}, {.name = "write"})),
                              often(token));
  const auto said = tap(page, "stage=write&wait=20");
  EXPECT_EQ(said.status, 200);
  EXPECT_EQ(said.as_json()["items"], json::array());
  EXPECT_EQ(tap(page, "stage=none&items=1&wait=0").status, 200);
}

TEST(live_tap, of_a_run_that_is_over) {
  tw::live::server page(tw::launch(endless()), often(token));
  page.execution().stop();
  (void)page.wait();
  const auto said = tap(page, "stage=negate");
  EXPECT_EQ(said.status, 409);
  EXPECT_EQ(error_of(said), "no run goes on");
}

TEST(live_tap, two_at_once) {
  const tw::live::server page(tw::launch(endless()), often(token));
  std::vector<reply> said(2);
  std::vector<std::thread> clients;
  for (auto& one : said) clients.emplace_back([&] { one = tap(page, "stage=forget&items=3&wait=10000"); });
  for (auto& client : clients) client.join();
  for (const auto& one : said) EXPECT_EQ(one.as_json()["items"].size(), 3U) << one.body;
}
