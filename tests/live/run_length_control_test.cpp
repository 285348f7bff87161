// Clients that change how much work a run of items holds, and what only runs on several ranks have.
#include <atomic>
#include <chrono>

#include <gmock/gmock.h>

#include "live/client.hpp"
#include "support/eventually.hpp"

using namespace live_test;
using namespace std::chrono_literals;
using testing::HasSubstr;

namespace {

const std::string token = "a token";

TEST(live_run_length, changes) {
  std::atomic<std::int64_t> seen{-1};
  auto look = [&](const tw::adaptation::window& w) {
    seen = w.run_length.value_or(-1ns).count();
    return tw::adaptation::changes{};
  };
  tw::live::server page(
      tw::launch(endless(), tw::pool{}, {.adapt = tw::adapt{.every = 1ms, .planner = look}}), often(token));
  EXPECT_TRUE(eventually([&] { return seen == 0; })) << "as the run sees fit";
  EXPECT_EQ(post(page.port(), "/api/run-length", R"({"us": 12.5})", token).status, 200);
  EXPECT_TRUE(eventually([&] { return seen == 12'500; }));
  EXPECT_EQ(post(page.port(), "/api/run-length", R"({"us": 0})", token).status, 200);
  EXPECT_TRUE(eventually([&] { return seen == 0; }));
  page.execution().stop();
  (void)page.execution().wait();  // before `seen` is gone
}

TEST(live_run_length, what_makes_no_sense_is_refused_with_the_reason) {
  tw::live::server page(tw::launch(endless()), often(token));
  const auto refused = [&](const std::string& path, const std::string& body) -> std::string {
    const auto said = post(page.port(), path, body, token);
    EXPECT_EQ(said.status, 400) << path << body;
    return said.as_json()["error"];
  };
  for (const auto* body :
       {R"({"us": -1})", R"({"us": 0.01})", R"({"us": 0.0001})", R"({"us": 501})", R"({"us": 1e300})"})
    EXPECT_THAT(refused("/api/run-length", body), HasSubstr("1 us to 500 us")) << body;
  for (const auto* body : {"", "{", "7", "{}", R"({"us": "50"})", R"({"us": null})"})
    EXPECT_THAT(refused("/api/run-length", body), HasSubstr(R"({"us": 50})")) << body;
  EXPECT_THAT(refused("/api/ranks", R"({"ranks": 2})"), HasSubstr("several ranks"));
  EXPECT_THAT(refused("/api/ranks", R"({"ranks": 0})"), HasSubstr("at least 1 rank"));
  EXPECT_THAT(refused("/api/ranks", R"({"ranks": 1.5})"), HasSubstr("whole number"));
  EXPECT_THAT(refused("/api/credits", R"({"stage": "negate", "runs": 2})"), HasSubstr("several ranks"));
  EXPECT_THAT(refused("/api/credits", R"({"stage": "negate", "runs": 9999})"), HasSubstr("between 1 and"));
  EXPECT_THAT(refused("/api/credits", R"({"stage": "negate"})"), HasSubstr("whole number"));
  EXPECT_THAT(refused("/api/message-bytes", R"({"bytes": 4096})"), HasSubstr("several ranks"));
  EXPECT_THAT(refused("/api/message-bytes", R"({"bytes": 0})"), HasSubstr("at least 1 byte"));
  EXPECT_THAT(refused("/api/message-bytes", R"({"bytes": -1})"), HasSubstr("whole number"));
}

}  // namespace
