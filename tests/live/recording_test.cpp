// Recordings that clients ask for.
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include <gmock/gmock.h>

#include "live/client.hpp"
#include "support/eventually.hpp"

using namespace live_test;
using namespace std::chrono_literals;
using testing::HasSubstr;

namespace {

const std::string token = "a token";
const std::string moment = R"({"seconds": 0.05})";
const std::string a_minute = R"({"seconds": 60})";

reply record(const tw::live::server& page, const std::string& body) {
  return post(page.port(), "/api/record", body, token);
}

reply recorded(const tw::live::server& page) {
  reply last;
  EXPECT_TRUE(eventually([&] {
    last = get(page.port(), "/api/recording");
    return last.status != 202;
  }));
  return last;
}

std::size_t bars_in(const reply& said) {
  const auto trace = said.as_json();
  std::size_t bars = 0;
  for (const auto& x : trace["traceEvents"]) bars += x["ph"] == "X" ? 1 : 0;
  return bars;
}

}  // namespace

TEST(live_recording, is_a_trace_of_some_seconds) {
  tw::live::server page(tw::launch(endless()), often(token));
  const auto none = get(page.port(), "/api/recording");
  EXPECT_EQ(none.status, 404);
  EXPECT_THAT(none.body, HasSubstr("nothing was recorded yet"));
  reply said;
  ASSERT_TRUE(eventually([&] {  // on a busy machine a stream may do nothing for a moment
    EXPECT_EQ(record(page, moment).status, 202);
    said = recorded(page);
    return said.status == 200 && bars_in(said) > 0;
  }));
  EXPECT_THAT(said.header("Content-Type"), HasSubstr("application/json"));
  EXPECT_EQ(said.header("Content-Disposition"), R"(attachment; filename="trace.json")");
  EXPECT_EQ(get(page.port(), "/api/recording").body, said.body) << "it stays";
  EXPECT_EQ(record(page, moment).status, 202);
  EXPECT_EQ(recorded(page).status, 200);
  EXPECT_FALSE(page.execution().done());
}

TEST(live_recording, one_that_goes_on_shows_its_last_moments) {
  tw::live::server page(tw::launch(endless()), often(token));
  EXPECT_EQ(record(page, a_minute).status, 202);
  reply said;
  ASSERT_TRUE(eventually([&] {
    said = get(page.port(), "/api/recording");
    return said.status == 202 && bars_in(said) > 0;
  }));
  EXPECT_EQ(said.header("Content-Disposition"), "");
  EXPECT_GT(std::stoi(said.header("Retry-After")), 0);
  EXPECT_LE(std::stoi(said.header("Retry-After")), 60);
}

TEST(live_recording, needs_the_token) {
  tw::live::server page(tw::launch(endless()), often(token));
  EXPECT_EQ(post(page.port(), "/api/record", moment, "another").status, 401);
  EXPECT_EQ(post(page.port(), "/api/record", moment).status, 401);
  EXPECT_EQ(get(page.port(), "/api/recording").status, 404) << "nothing has begun";
  tw::live::server looks(tw::launch(endless()), often());
  EXPECT_EQ(post(looks.port(), "/api/record", moment, token).status, 403);
}

TEST(live_recording, one_at_a_time) {
  tw::live::server page(tw::launch(endless()), often(token));
  EXPECT_EQ(record(page, a_minute).status, 202);
  const auto second = record(page, moment);
  EXPECT_EQ(second.status, 409);
  EXPECT_THAT(second.body, HasSubstr("a recording goes on already"));
}

TEST(live_recording, of_no_time_or_too_much_is_refused) {
  tw::live::server page(tw::launch(endless()), often(token));
  for (const auto* body :
       {"", "{", "5", "{}", R"({"seconds": 0})", R"({"seconds": -1})", R"({"seconds": 60.001})",
        R"({"seconds": 1e300})", R"({"seconds": "5"})", R"({"seconds": null})", R"([{"seconds": 5}])"}) {
    const auto said = record(page, body);
    EXPECT_EQ(said.status, 400) << body;
    EXPECT_THAT(said.body, HasSubstr("above 0, and 60 at most")) << body;
  }
  EXPECT_EQ(get(page.port(), "/api/recording").status, 404);
  EXPECT_EQ(get(page.port(), "/api/record").status, 404);
}

TEST(live_recording, the_end_of_the_run_ends_it) {
  tw::live::server page(tw::launch(endless()), often(token));
  EXPECT_EQ(record(page, a_minute).status, 202);
  ASSERT_TRUE(eventually([&] { return bars_in(get(page.port(), "/api/recording")) > 0; }));
  page.execution().stop();
  page.wait();
  const auto said = recorded(page);
  ASSERT_EQ(said.status, 200);
  EXPECT_GT(bars_in(said), 0U);
  const auto again = record(page, moment);
  EXPECT_EQ(again.status, 409);
  EXPECT_THAT(again.body, HasSubstr("no run goes on"));
  EXPECT_EQ(get(page.port(), "/api/recording").body, said.body);
}

TEST(live_recording, beside_one_of_the_program_itself) {
  tw::live::server page(tw::launch(endless()), often(token));
  page.execution().start_trace();
  const auto refused = record(page, moment);
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.body, HasSubstr("already"));
  (void)page.execution().stop_trace();
  EXPECT_EQ(record(page, a_minute).status, 202);
  (void)page.execution().stop_trace();
  page.execution().cancel();
  page.wait();
  const auto said = recorded(page);
  EXPECT_EQ(said.status, 409);
  EXPECT_THAT(said.body, HasSubstr("the recording has failed: stop_trace"));
}

TEST(live_recording, goes_with_the_page) {
  auto run = tw::launch(endless());
  {
    tw::live::server page(run, often(token));
    EXPECT_EQ(record(page, a_minute).status, 202);
  }
  run.start_trace();  // it does not go on
  (void)run.stop_trace();
}
