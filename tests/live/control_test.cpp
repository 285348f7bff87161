// Clients that change the run.
#include <gmock/gmock.h>

#include "live/client.hpp"
#include "support/eventually.hpp"

using namespace live_test;
using testing::HasSubstr;

namespace {

const std::string token = "a token";
const std::string two_replicas = R"({"stage": "negate", "replicas": 2})";

std::string error_of(const reply& said) {
  return said.as_json()["error"];
}

auto hardly_ever() {
  return tw::paced([n = 0]() mutable { return std::optional(n++); }, 1e-5, {.name = "ticks"}) |
         tw::sink([](int) {}, {.name = "forget"});
}

json last_sample(const tw::live::server& page) {
  return get(page.port(), "/api/state").as_json()["history"].back();
}

}  // namespace

TEST(live_control, without_a_token_nobody_may) {
  tw::live::server page(tw::launch(endless()), often());
  for (const auto* path :
       {"/api/replicas", "/api/rate", "/api/batch", "/api/run-length", "/api/ranks", "/api/credits",
        "/api/message-bytes", "/api/pause", "/api/resume", "/api/stop", "/api/cancel"}) {
    EXPECT_EQ(post(page.port(), path, two_replicas).status, 403) << path;
    EXPECT_EQ(post(page.port(), path, two_replicas, "x").status, 403) << path;
  }
  EXPECT_EQ(status_of(answer_to(page.port(), "POST /api/stop HTTP/1.1\r\nHost: localhost\r\n\r\n")), 403);
  EXPECT_FALSE(page.execution().done());
  EXPECT_EQ(page.execution().stats().stage("negate").replicas(), 1);
}

TEST(live_control, a_wrong_token_is_none) {
  tw::live::server page(tw::launch(endless()), often(token));
  for (const auto* wrong : {"", "a toke", "a tokens", "A TOKEN", "b token"}) {
    const auto said = post(page.port(), "/api/replicas", two_replicas, wrong);
    EXPECT_EQ(said.status, 401) << wrong;
    EXPECT_EQ(said.header("WWW-Authenticate"), "Bearer");
  }
  EXPECT_EQ(status_of(answer_to(page.port(),
                                "POST /api/stop HTTP/1.1\r\nHost: localhost\r\n"
                                "Authorization: Basic a token\r\n\r\n")),
            401);
  EXPECT_EQ(page.execution().stats().stage("negate").replicas(), 1);
}

TEST(live_control, replicas_change) {
  tw::live::server page(tw::launch(endless()), often(token));
  EXPECT_EQ(get(page.port(), "/api/state").as_json()["graph"]["control"], true);
  EXPECT_EQ(post(page.port(), "/api/replicas", two_replicas, token).status, 200);
  EXPECT_EQ(page.execution().stats().stage("negate").replicas(), 2);
  ASSERT_TRUE(eventually([&] { return last_sample(page)["stages"][1]["replicas"] == 2; }));
  const auto resizes = last_sample(page)["resizes"];
  ASSERT_EQ(resizes.size(), 1U);
  EXPECT_EQ(resizes[0]["stage"], "negate");
  EXPECT_EQ(resizes[0]["from"], 1);
  EXPECT_EQ(resizes[0]["to"], 2);
}

TEST(live_control, what_makes_no_sense_is_refused_with_the_reason) {
  tw::live::server page(tw::launch(endless()), often(token));
  const auto refused = [&](const std::string& body) {
    const auto said = post(page.port(), "/api/replicas", body, token);
    EXPECT_EQ(said.status, 400) << body;
    return error_of(said);
  };
  EXPECT_THAT(refused(R"({"stage": "negat", "replicas": 2})"), HasSubstr("negat"));
  EXPECT_THAT(refused(R"({"stage": "numbers", "replicas": 2})"), HasSubstr("numbers"));
  EXPECT_THAT(refused(R"({"stage": "negate", "replicas": 0})"), HasSubstr("at least 1"));
  EXPECT_THAT(refused(R"({"stage": "negate", "replicas": -99999999999999999999})"),
              HasSubstr("whole number"));
  EXPECT_THAT(refused(R"({"stage": "negate", "replicas": -9223372036854775808})"), HasSubstr("at least 1"));
  for (const auto* body : {"", "{", "[]", "null", "7", R"({"stage": "negate"})", R"({"replicas": 2})",
                           R"({"stage": 7, "replicas": 2})", R"({"stage": "negate", "replicas": "2"})",
                           R"({"stage": "negate", "replicas": 1.5})", "\xff\xfe"})
    EXPECT_THAT(refused(body), HasSubstr("whole number")) << body;
  refused(std::string(30'000, '['));
  EXPECT_EQ(page.execution().stats().stage("negate").replicas(), 1);
}

TEST(live_control, the_rate_of_a_paced_source_changes) {
  tw::live::server page(tw::launch(hardly_ever()), often(token));
  ASSERT_TRUE(eventually([&] { return last_sample(page)["stages"][0].value("due_rate", 0.0) == 1e-5; }));
  EXPECT_FALSE(last_sample(page)["stages"][1].contains("due_rate"));
  EXPECT_EQ(post(page.port(), "/api/rate", R"({"stage": "ticks", "rate": "bursts,1,1,5000"})", token).status,
            200);
  ASSERT_TRUE(eventually([&] { return page.execution().stats().items() > 10; }));
  ASSERT_TRUE(eventually([&] { return last_sample(page)["rate_changes"].size() == 1U; }));
  const auto change = last_sample(page)["rate_changes"][0];
  EXPECT_EQ(change["stage"], "ticks");
  EXPECT_EQ(change["from"], 1e-5);
  EXPECT_EQ(change["to"], 5000);
  EXPECT_GT(change["at_ns"], 0);
  EXPECT_TRUE(eventually([&] { return last_sample(page)["stages"][0]["due_rate"] == 5000; }));
}

TEST(live_control, a_rate_that_makes_no_sense_is_refused_with_the_reason) {
  tw::live::server page(tw::launch(hardly_ever()), often(token));
  const auto refused = [&](const std::string& body) {
    const auto said = post(page.port(), "/api/rate", body, token);
    EXPECT_EQ(said.status, 400) << body;
    return error_of(said);
  };
  EXPECT_THAT(refused(R"({"stage": "tick", "rate": "5"})"), HasSubstr("did you mean 'ticks'?"));
  EXPECT_THAT(refused(R"({"stage": "forget", "rate": "5"})"), HasSubstr("is no paced source"));
  EXPECT_THAT(refused(R"({"stage": "ticks", "rate": "-5"})"), HasSubstr("rate"));
  EXPECT_THAT(refused(R"({"stage": "ticks", "rate": "waves,1,2,3"})"), HasSubstr("'waves' is no pattern"));
  EXPECT_THAT(refused(R"({"stage": "ticks", "rate": "trace,/dev/zero"})"), HasSubstr("from a file"));
  for (const auto* body : {"", "{", "7", R"({"stage": "ticks"})", R"({"rate": "5"})",
                           R"({"stage": 7, "rate": "5"})", R"({"stage": "ticks", "rate": 5})"})
    EXPECT_THAT(refused(body), HasSubstr("both as texts")) << body;
  EXPECT_TRUE(page.execution().stats().rate_changes().empty());
}

TEST(live_control, pause_and_resume_and_stop) {
  tw::live::server page(tw::launch(endless()), often(token));
  EXPECT_EQ(last_sample(page)["paused"], false);
  EXPECT_EQ(post(page.port(), "/api/pause", "", token).status, 200);
  ASSERT_TRUE(eventually([&] { return last_sample(page)["paused"] == true; }));
  EXPECT_THAT(get(page.port(), "/metrics").body, HasSubstr("thalweg_paused 1\n"));
  EXPECT_EQ(post(page.port(), "/api/resume", "{}", token).status, 200);
  ASSERT_TRUE(eventually([&] { return last_sample(page)["paused"] == false; }));
  EXPECT_EQ(status_of(answer_to(page.port(),
                                "POST /api/stop HTTP/1.1\r\nHost: localhost\r\n"
                                "Authorization: Bearer a token\r\n\r\n")),
            200);
  const auto report = page.wait();
  EXPECT_EQ(last_sample(page)["items"], report.items());
  EXPECT_EQ(post(page.port(), "/api/pause", "", token).status, 409);
}

TEST(live_control, cancel) {
  tw::live::server page(tw::launch(endless()), often(token));
  EXPECT_EQ(post(page.port(), "/api/cancel", "", token).status, 200);
  (void)page.wait();
  EXPECT_EQ(last_sample(page)["done"], true);
}

TEST(live_control, only_json_is_read) {
  const tw::live::server page(tw::launch(endless()), often(token));
  EXPECT_EQ(status_of(answer_to(page.port(),
                                "POST /api/replicas HTTP/1.1\r\nHost: localhost\r\n"
                                "Content-Type: multipart/form-data; boundary=x\r\n"
                                "Content-Length: 5\r\n\r\n--x--")),
            415);
}

TEST(live_control, the_length_of_a_body_is_bounded) {
  tw::live::server page(tw::launch(endless()), often(token));
  EXPECT_EQ(post(page.port(), "/api/replicas", std::string((64U << 10U) + 1, ' '), token).status, 413);
  EXPECT_EQ(post(page.port(), "/api/replicas", std::string(64U << 10U, ' '), token).status, 400);
  // Two lengths, of which the one without a bound would be read.
  const std::string chunked =
      "POST /api/replicas HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
      "Content-Length: 5\r\n\r\n";
  EXPECT_EQ(status_of(answer_to(page.port(), chunked)), 411);
  EXPECT_EQ(status_of(answer_to(page.port(), "POST /api/replicas HTTP/1.1\r\nHost: localhost\r\n\r\n")), 411);
}
