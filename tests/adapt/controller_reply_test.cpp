// What controllers may say: docs/controllers.md. A document counts as a whole or not at all.
#include "../../src/adapt/controller_reply.hpp"

#include <thalweg/adapt/window.hpp>

#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "adapt/stage.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using tw::adaptation::replicas_wanted;

namespace {

tw::adaptation::window shown() {
  tw::adaptation::window w;
  w.number = 1;
  w.stages = {stage("read", {}), stage("compress", {0}, 2, 16), stage("collect", {1}),
              stage("write", {2}, 1, 4), stage("end", {3})};
  w.stages[2].batch = tw::batch_limits{.items = 8};
  return w;
}

// The same of a run on four ranks, of which two execute stages.
tw::adaptation::window shown_on_ranks() {
  auto w = shown();
  w.stages[1].credits = 3;
  w.run_length = 0ns;
  w.message_bytes = 65'536;
  w.bounds.most_ranks = 3;
  for (int r = 0; r < 4; ++r) {
    using state = tw::adaptation::rank_window::state;
    w.ranks.push_back({.rank = r, .host = "here", .now = r < 2 ? state::working : state::reserve});
  }
  return w;
}

tw::adaptation::controller_reply read_on_ranks(std::string_view document) {
  return tw::adaptation::read_reply(document, shown_on_ranks(), 0);
}

tw::adaptation::controller_reply read(std::string_view document, std::uint64_t last = 0) {
  return tw::adaptation::read_reply(document, shown(), last);
}

// What is refused, with all reasons in one text.
std::string refused(std::string_view document) {
  const auto reply = read(document);
  EXPECT_FALSE(reply.taken) << document;
  EXPECT_TRUE(reply.wanted.none()) << document;
  EXPECT_EQ(reply.ack.find('\n'), reply.ack.size() - 1);
  const auto ack = json::parse(reply.ack);
  EXPECT_TRUE(ack.contains("ack")) << reply.ack;
  std::string all;
  for (const auto& reason : ack.value("refused", json::array())) all += reason.get<std::string>() + "; ";
  return all;
}

}  // namespace

TEST(ControllerReply, IsTakenAsAWhole) {
  const auto reply = read(
      R"({"v":1,"seq":5,"replicas":{"compress":8,"write":2},"batch":{"collect":{"count":64,"interval_ms":5}},"hold":false})");
  EXPECT_TRUE(reply.taken);
  EXPECT_EQ(reply.seq, 5U);
  EXPECT_THAT(reply.wanted.replicas,
              ElementsAre(replicas_wanted{"compress", 8}, replicas_wanted{"write", 2}));
  ASSERT_EQ(reply.wanted.batches.size(), 1U);
  EXPECT_EQ(reply.wanted.batches[0].stage, "collect");
  EXPECT_EQ(reply.wanted.batches[0].limits, (tw::batch_limits{.items = 64, .interval = 5ms}));
  EXPECT_THAT(reply.wanted.reason, HasSubstr("seq 5"));
  EXPECT_EQ(
      reply.ack,
      R"({"ack":5,"replicas":{"compress":8,"write":2},"batch":{"collect":{"count":64,"interval_ms":5}}})"
      "\n");
}

TEST(ControllerReply, MayAskForNothing) {
  for (const auto* const document : {R"({"v":1,"seq":5})", R"({"v":1,"seq":5,"hold":true})",
                                     R"({"v":1,"seq":5,"replicas":{},"batch":{}})"}) {
    const auto reply = read(document);
    EXPECT_TRUE(reply.taken) << document;
    EXPECT_TRUE(reply.wanted.none()) << document;
    EXPECT_EQ(reply.ack, "{\"ack\":5}\n") << document;
  }
}

TEST(ControllerReply, ValuesAreMovedIntoTheirBounds) {
  const auto most = read(R"({"v":1,"seq":5,"replicas":{"compress":99,"write":0}})");
  EXPECT_THAT(most.wanted.replicas,
              ElementsAre(replicas_wanted{"compress", 16}, replicas_wanted{"write", 1}));
  EXPECT_EQ(most.ack, R"({"ack":5,"replicas":{"compress":16,"write":1},"clamped":["compress","write"]})"
                      "\n");
  const auto huge = read(R"({"v":1,"seq":6,"replicas":{"compress":1e300,"write":-99999999999999999999}})");
  EXPECT_THAT(huge.wanted.replicas,
              ElementsAre(replicas_wanted{"compress", 16}, replicas_wanted{"write", 1}));
  const auto batch = read(R"({"v":1,"seq":7,"batch":{"collect":{"count":-3,"bytes":1e30,"interval_ms":0}}})");
  ASSERT_EQ(batch.wanted.batches.size(), 1U);
  EXPECT_EQ(batch.wanted.batches[0].limits.items, 1);
  EXPECT_GT(batch.wanted.batches[0].limits.bytes, std::int64_t{1} << 60);
  EXPECT_EQ(batch.wanted.batches[0].limits.interval, 1ns);
  EXPECT_EQ(json::parse(batch.ack)["clamped"], json({"collect"}));
}

TEST(ControllerReply, AsksForWhatBelongsToRanksAndRunsOfItems) {
  const auto all = read_on_ranks(
      R"({"v":1,"seq":5,"credits":{"compress":4},"ranks":{"wanted":3},"run_length_us":50,"message_bytes":4096})");
  ASSERT_TRUE(all.taken) << all.ack;
  ASSERT_EQ(all.wanted.credits.size(), 1U);
  EXPECT_EQ(all.wanted.credits[0].stage, "compress");
  EXPECT_EQ(all.wanted.credits[0].runs, 4);
  EXPECT_EQ(all.wanted.ranks, 3);
  EXPECT_EQ(all.wanted.run_length, 50us);
  EXPECT_EQ(all.wanted.message_bytes, 4096U);
  EXPECT_EQ(
      all.ack,
      R"({"ack":5,"credits":{"compress":4},"ranks":{"wanted":3},"run_length_us":50,"message_bytes":4096})"
      "\n");
  const auto as_fit = read_on_ranks(R"({"v":1,"seq":5,"credits":{"compress":0},"run_length_us":0})");
  EXPECT_EQ(as_fit.wanted.credits.at(0).runs, 0);
  EXPECT_EQ(as_fit.wanted.run_length, 0ns);
  EXPECT_FALSE(json::parse(as_fit.ack).contains("clamped"));
}

TEST(ControllerReply, WhatBelongsToRanksAndRunsOfItemsIsMovedIntoItsBounds) {
  const auto much = read_on_ranks(
      R"({"v":1,"seq":5,"credits":{"compress":1e9},"ranks":{"wanted":9},"run_length_us":1e12,"message_bytes":1e30})");
  EXPECT_EQ(much.wanted.credits.at(0).runs, 1024);
  EXPECT_EQ(much.wanted.ranks, 3) << "more there could be, but not by the bounds of the run";
  EXPECT_EQ(much.wanted.run_length, 500us);
  EXPECT_GT(much.wanted.message_bytes, std::size_t{1} << 60);
  EXPECT_EQ(json::parse(much.ack)["clamped"], json({"compress", "message_bytes", "ranks", "run_length_us"}));
  const auto little = read_on_ranks(
      R"({"v":1,"seq":5,"credits":{"compress":-1},"ranks":{"wanted":-9},"run_length_us":0.01,"message_bytes":0})");
  EXPECT_EQ(little.wanted.credits.at(0).runs, 0);
  EXPECT_EQ(little.wanted.ranks, 1);
  EXPECT_EQ(little.wanted.run_length, 1us);
  EXPECT_EQ(little.wanted.message_bytes, 1U);
  EXPECT_EQ(json::parse(little.ack)["clamped"].size(), 4U);
}

TEST(ControllerReply, WhatBelongsToRanksAndRunsOfItemsIsRefusedAsAWhole) {
  for (const auto* const wrong :
       {R"("credits":{"compress":"4"})", R"("credits":{"compress":1.5})", R"("credits":{"nosuch":4})",
        R"("credits":{"write":4})", R"("credits":4)", R"("ranks":2)", R"("ranks":{})", R"("ranks":{"n":2})",
        R"("ranks":{"wanted":2,"n":2})", R"("ranks":{"wanted":"2"})", R"("ranks":{"wanted":1.5})",
        R"("run_length_us":"50")", R"("run_length_us":null)", R"("message_bytes":1.5)",
        R"("message_bytes":{})"}) {
    const auto reply =
        read_on_ranks(R"({"v":1,"seq":5,"replicas":{"compress":8},)" + std::string(wrong) + "}");
    EXPECT_FALSE(reply.taken) << wrong;
    EXPECT_TRUE(reply.wanted.none()) << wrong;
    EXPECT_THAT(reply.ack, HasSubstr("refused")) << wrong;
  }
  auto fixed = shown_on_ranks();
  fixed.bounds.least_ranks = fixed.bounds.most_ranks = 2;
  EXPECT_THAT(tw::adaptation::read_reply(R"({"v":1,"seq":5,"ranks":{"wanted":3}})", fixed, 0).ack,
              HasSubstr("2 is the only number possible"));
}

TEST(ControllerReply, BoundsOfTheRunCount) {
  auto w = shown();
  for (auto& s : w.stages) {
    if (s.farm()) s.least = 2;
    if (s.name == "compress") s.most = 6;
  }
  const auto reply =
      tw::adaptation::read_reply(R"({"v":1,"seq":1,"replicas":{"compress":8,"write":1}})", w, 0);
  EXPECT_THAT(reply.wanted.replicas,
              ElementsAre(replicas_wanted{"compress", 6}, replicas_wanted{"write", 2}));
}

TEST(ControllerReply, AnOldOneIsIgnored) {
  for (const auto seq : {"0", "4", "5"}) {
    const auto reply = read(R"({"v":1,"replicas":{"compress":8},"seq":)" + std::string(seq) + "}", 5);
    EXPECT_FALSE(reply.taken);
    EXPECT_TRUE(reply.wanted.none());
    EXPECT_EQ(json::parse(reply.ack)["ignored"], "seq is not above 5");
  }
  EXPECT_TRUE(read(R"({"v":1,"seq":6})", 5).taken);
  EXPECT_TRUE(read(R"({"v":1,"seq":18446744073709551615})", 5).taken);
}

TEST(ControllerReply, OneUnknownNameRefusesAll) {
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"replicas":{"compress":8,"nosuch":2}})"),
              HasSubstr("there is no stage 'nosuch'"));
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"replicas":{"compress":8},"batch":{"nosuch":{"count":1}}})"),
              HasSubstr("there is no stage 'nosuch'"));
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"replicas":{"compress":8},"replica":{}})"), HasSubstr("'replica'"));
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"replicas":{"compress":8},"batch":{"collect":{"items":1}}})"),
              HasSubstr("'items' is unknown"));
}

TEST(ControllerReply, SaysWhatTheRunCannotDo) {
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"replicas":{"compress":8,"read":2}})"),
              HasSubstr("'read' has one replica"));
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"batch":{"compress":{"count":8}}})"),
              HasSubstr("'compress' is no batch"));
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"credits":{"compress":4}})"), HasSubstr("from no other rank"));
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"ranks":{"wanted":6}})"), HasSubstr("this run is in one process"));
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"run_length_us":50})"), HasSubstr("run_length_us: "));
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"message_bytes":50})"), HasSubstr("sends no messages"));
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"goal":{}})"), HasSubstr("goal"));
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"hold":true,"replicas":{"compress":8}})"), HasSubstr("hold"));
}

TEST(ControllerReply, SaysAllThatIsWrong) {
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"goal":{},"replicas":{"x":1},"batch":{"y":{}}})"),
              testing::AllOf(HasSubstr("goal"), HasSubstr("'x'"), HasSubstr("'y'")));
  EXPECT_EQ(json::parse(read(R"({"v":1,"seq":5,"goal":{}})").ack)["ack"], 5);
}

TEST(ControllerReply, WrongTypesAreRefused) {
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"replicas":{"compress":"8"}})"), HasSubstr("must be a number"));
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"replicas":{"compress":2.5}})"), HasSubstr("whole number"));
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"replicas":{"compress":null}})"), HasSubstr("must be a number"));
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"replicas":[8]})"), HasSubstr("must be an object"));
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"batch":{"collect":8}})"), HasSubstr("must be an object"));
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"batch":{"collect":{}}})"), HasSubstr("must be an object"));
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"batch":{"collect":{"count":"8"}}})"), HasSubstr("must be a number"));
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"batch":{"collect":{"count":1.5}}})"), HasSubstr("whole number"));
  EXPECT_THAT(refused(R"({"v":1,"seq":5,"hold":1})"), HasSubstr("true or false"));
  EXPECT_THAT(refused(R"({"v":1,"seq":"5"})"), HasSubstr("seq"));
  EXPECT_THAT(refused(R"({"v":1,"seq":-5})"), HasSubstr("seq"));
  EXPECT_THAT(refused(R"({"v":1,"seq":1e3})"), HasSubstr("seq"));
  EXPECT_THAT(refused(R"({"v":1})"), HasSubstr("seq"));
  EXPECT_THAT(refused(R"({"v":2,"seq":5})"), HasSubstr("v must be 1"));
  EXPECT_THAT(refused(R"({"seq":5})"), HasSubstr("v must be 1"));
}

TEST(ControllerReply, GarbageChangesNothing) {
  for (const std::string_view garbage : {"", "{", "}", "null", "[]", "7", "\"text\"", R"({"v":1,"seq":5)",
                                         "{}{}", "\xff\xfe", R"({"v":1,"seq":5,"hold":false,})", "1e999"})
    EXPECT_THAT(refused(garbage), HasSubstr("no JSON object")) << garbage;
  EXPECT_THAT(refused(std::string(60'000, '[')), HasSubstr("no JSON object"));
}

// Documents of which some bytes are others: none throws, and what is taken is within the bounds.
TEST(ControllerReply, NoBytesAreTrusted) {
  const std::string good =
      R"({"v":1,"seq":5,"replicas":{"compress":8,"write":2},"batch":{"collect":{"count":64,"interval_ms":5}},"credits":{"compress":4},"ranks":{"wanted":2},"run_length_us":50,"message_bytes":9,"hold":false})";
  std::mt19937 random(42);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  for (int i = 0; i < 20'000; ++i) {
    auto document = good;
    for (auto changes = below(4) + 1; changes > 0; --changes) {
      const auto at = below(document.size());
      switch (below(3)) {
        case 0:
          document[at] = static_cast<char>(below(256));
          break;
        case 1:
          document.erase(at, below(8) + 1);
          break;
        default:
          document.insert(at, 1, "0123456789-eE.{}[],:\""[below(21)]);
      }
      if (document.empty()) document = "x";
    }
    const auto reply = read_on_ranks(document);
    ASSERT_TRUE(json::accept(reply.ack)) << document;
    ASSERT_TRUE(reply.taken || reply.wanted.none()) << document;
    for (const auto& one : reply.wanted.replicas) {
      ASSERT_TRUE(one.stage == "compress" || one.stage == "write") << document;
      ASSERT_TRUE(one.replicas >= 1 && one.replicas <= 16) << document;
    }
    for (const auto& one : reply.wanted.batches) {
      ASSERT_TRUE(one.limits.items >= 0 && one.limits.interval.count() >= 0) << document;
      ASSERT_NE(one.limits, tw::batch_limits{}) << document;
    }
    for (const auto& one : reply.wanted.credits) {
      ASSERT_EQ(one.stage, "compress") << document;
      ASSERT_TRUE(one.runs >= 0 && one.runs <= 1024) << document;
    }
    const auto n = reply.wanted.ranks.value_or(1);
    ASSERT_TRUE(n >= 1 && n <= 3) << document;
    if (const auto t = reply.wanted.run_length) {
      ASSERT_TRUE(*t == 0ns || (*t >= 1us && *t <= 500us)) << document;
    }
    ASSERT_NE(reply.wanted.message_bytes, std::optional<std::size_t>(0)) << document;
  }
}
