// Clients that change what closes a batch.
#include <gmock/gmock.h>

#include "live/client.hpp"
#include "support/eventually.hpp"

using namespace live_test;
using testing::HasSubstr;

namespace {

const std::string token = "a token";

auto blocks() {
  return tw::source([n = 0]() mutable { return std::optional(n++); }) |
         tw::batch(1'000'000'000, std::chrono::hours(1), {.name = "blocks"}) |
         tw::sink([](const std::vector<int>&) {}, {.name = "forget"});
}

json last_sample(const tw::live::server& page) {
  return get(page.port(), "/api/state").as_json()["history"].back();
}

TEST(live_batch, its_limits_change) {
  tw::live::server page(tw::launch(blocks()), often(token));
  ASSERT_TRUE(eventually([&] { return last_sample(page)["stages"][1].contains("batch"); }));
  EXPECT_EQ(last_sample(page)["stages"][1]["batch"],
            json({{"items", 1'000'000'000}, {"interval_ns", 3'600'000'000'000}}));
  EXPECT_FALSE(last_sample(page)["stages"][0].contains("batch"));
  const auto* body = R"({"stage": "blocks", "items": 64, "bytes": 1000000, "every_ms": 0.5})";
  EXPECT_EQ(post(page.port(), "/api/batch", body, token).status, 200);
  EXPECT_EQ(page.execution().stats().stage("blocks").batch(),
            (tw::batch_limits{.items = 64, .bytes = 1'000'000, .interval = std::chrono::microseconds(500)}));
  EXPECT_TRUE(eventually([&] { return page.execution().stats().items() > 10; }));
  EXPECT_EQ(post(page.port(), "/api/batch", R"({"stage": "blocks", "items": 1e30})", token).status, 400);
  EXPECT_EQ(
      post(page.port(), "/api/batch", R"({"stage": "blocks", "items": 18446744073709551615})", token).status,
      200);
  ASSERT_TRUE(eventually([&] { return last_sample(page)["batch_changes"].size() == 2U; }));
  const auto change = last_sample(page)["batch_changes"][0];
  EXPECT_EQ(change["stage"], "blocks");
  EXPECT_EQ(change["from"]["items"], 1'000'000'000);
  EXPECT_EQ(change["to"], json({{"items", 64}, {"bytes", 1'000'000}, {"interval_ns", 500'000}}));
  EXPECT_GT(change["at_ns"], 0);
  EXPECT_TRUE(eventually([&] {
    return last_sample(page)["stages"][1]["batch"] == json({{"items", 9'223'372'036'854'775'807}});
  }));
}

TEST(live_batch, limits_that_make_no_sense_are_refused_with_the_reason) {
  tw::live::server page(tw::launch(blocks()), often(token));
  const auto refused = [&](const std::string& body) -> std::string {
    const auto said = post(page.port(), "/api/batch", body, token);
    EXPECT_EQ(said.status, 400) << body;
    return said.as_json()["error"];
  };
  EXPECT_THAT(refused(R"({"stage": "block", "items": 5})"), HasSubstr("did you mean 'blocks'?"));
  EXPECT_THAT(refused(R"({"stage": "forget", "items": 5})"), HasSubstr("is no tw::batch"));
  EXPECT_THAT(refused(R"({"stage": "blocks"})"), HasSubstr("never be closed"));
  for (const auto* limit :
       {R"("items": 0)", R"("items": -5)", R"("items": 1.5)", R"("items": "5")", R"("bytes": 0)",
        R"("bytes": true)", R"("every_ms": 0)", R"("every_ms": -1)", R"("every_ms": [])"})
    EXPECT_THAT(refused(std::string(R"({"stage": "blocks", )") + limit + "}"), HasSubstr("above 0")) << limit;
  for (const auto* body : {"", "{", "7", R"({"items": 5})", R"({"stage": 7, "items": 5})"})
    EXPECT_THAT(refused(body), HasSubstr("\"every_ms\": 10")) << body;
  EXPECT_TRUE(page.execution().stats().batch_changes().empty());
}

}  // namespace
