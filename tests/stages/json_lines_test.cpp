#include <thalweg/stages/json_lines.hpp>
#include <thalweg/thalweg.hpp>

#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scratch.hpp"
#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

using strings = std::vector<std::string>;

struct request {
  std::string user;
  int ms = 0;
  friend bool operator==(const request&, const request&) = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(request, user, ms)

class JsonLines : public under_every_policy {
 protected:
  scratch dir;
};
FOR_EVERY_POLICY(JsonLines);

TEST_P(JsonLines, AreValuesOfAnyType) {
  const auto path = dir.write("f", "{\"user\": \"ada\", \"ms\": 12}\r\n{\"ms\":30,\"user\":\"m\\u00e4x\"}");
  std::vector<request> seen;
  tw::run(tw::json_lines<request>(path) | tw::sink(seen), policy());
  EXPECT_EQ(seen, (std::vector<request>{{"ada", 12}, {"mäx", 30}}));
  std::vector<json> any;
  tw::run(tw::json_lines<json>({path, path}) | tw::sink(any), policy());
  EXPECT_EQ(any.size(), 4U);
  EXPECT_EQ(any.at(3)["ms"], 30);
}

TEST_P(JsonLines, ABadLineIsAnErrorOfItsItem) {
  const auto a = dir.write("a", "1\n[2\n3\n");
  const auto b = dir.write("b", "\n\"four\"\n5");
  const auto job = [&](tw::options opts) { return tw::json_lines<int>(strings{a, b}, {}, std::move(opts)); };
  const auto f = failure_of([&] { tw::run(job({}) | tw::sink([](int) {}), policy()); });
  EXPECT_EQ(f.stage, "parse_json-1");
  EXPECT_THAT(f.cause, HasSubstr(a.string() + ":2: "));
  EXPECT_THAT(f.cause, HasSubstr("syntax error"));
  std::vector<int> seen;
  const auto r = tw::run(job({.on_error = tw::skip, .name = "parse"}) | tw::sink(seen), policy());
  EXPECT_THAT(seen, ElementsAre(1, 3, 5));
  EXPECT_EQ(r.stage("parse").skipped(), 3U);
  strings dead;
  seen.clear();
  const auto note = tw::dead_letter([&](const tw::numbered_line& line, std::exception_ptr why) {
    try {
      std::rethrow_exception(why);
    } catch (const tw::json_error& e) {
      EXPECT_THAT(e.what(), HasSubstr(line.file + ":" + std::to_string(line.number) + ": "));
    }
    dead.push_back(fs::path(line.file).filename().string() + std::to_string(line.number) + line.text);
  });
  tw::run(job({.on_error = tw::retry(1).then(note)}) | tw::sink(seen), policy());
  EXPECT_THAT(seen, ElementsAre(1, 3, 5));
  EXPECT_THAT(dead, ElementsAre("a2[2", "b1", "b2\"four\""));
}

TEST_P(JsonLines, TextsAreReadInAFarm) {
  const auto path = dir.write("f", "1\nx\n3");
  strings dead;
  const auto note =
      tw::dead_letter([&](const std::string& text, std::exception_ptr) { dead.push_back(text); });
  std::vector<int> seen;
  tw::run(
      tw::lines(path) | tw::farm(tw::parse_json<int>(), {.replicas = 3, .on_error = note}) | tw::sink(seen),
      policy());
  EXPECT_THAT(seen, ElementsAre(1, 3));
  EXPECT_THAT(dead, ElementsAre("x"));
}

TEST_P(JsonLines, AreWritten) {
  const auto path = dir / "f";
  tw::run(tw::source(std::vector<request>{{"ada", 1}, {"b\nc", 2}}) | tw::to_json_lines(path), policy());
  EXPECT_EQ(scratch::read(path), "{\"ms\":1,\"user\":\"ada\"}\n{\"ms\":2,\"user\":\"b\\nc\"}\n");
  tw::run(tw::source(std::vector<json>{{1, "two"}, nullptr, json::object()}) | tw::to_json_lines(path),
          policy());
  EXPECT_EQ(scratch::read(path), "[1,\"two\"]\nnull\n{}\n");
  tw::run(
      tw::source(std::vector<double>{0.5, std::nan("")}) | tw::farm(tw::dump_json()) | tw::file_sink(path),
      policy());
  EXPECT_EQ(scratch::read(path), "0.5\nnull\n");
}

TEST_P(JsonLines, WhatIsNoTextIsAnErrorOfItsItem) {
  const auto path = dir / "f";
  const auto items = tw::source(strings{"a", "\xff", "b"});
  const auto f = failure_of([&] { tw::run(items | tw::to_json_lines(path), policy()); });
  EXPECT_EQ(f.stage, "dump_json-1");
  EXPECT_THAT(f.cause, HasSubstr("UTF-8"));
  EXPECT_THAT(dir.names(), IsEmpty());
  tw::run(items | tw::to_json_lines(path, {}, {.on_error = tw::skip}), policy());
  EXPECT_EQ(scratch::read(path), "\"a\"\n\"b\"\n");
}

TEST(JsonLinesSize, IsThatOfTheWholeValue) {
  EXPECT_EQ(tw::size_of(json(7)), sizeof(json)) << "a number is no container of itself";
  EXPECT_EQ(tw::size_of(json(std::string(1000, 'x'))), sizeof(json) + 1000);
  EXPECT_EQ(tw::size_of(json({1, 2, 3})), 4 * sizeof(json));
  EXPECT_EQ(tw::size_of(json({{"key", {1, 2}}})), 4 * sizeof(json) + sizeof(std::string) + 3);
  EXPECT_EQ(tw::size_of(nlohmann::ordered_json({1, nullptr})), 3 * sizeof(nlohmann::ordered_json));
}

TEST_P(JsonLines, MayBeNestedDeeply) {
  constexpr std::size_t depth = 200'000;
  const auto path = dir.write("f", std::string(depth, '[') + std::string(depth, ']'));
  std::size_t seen = 0;
  tw::run(tw::json_lines<json>(path) | tw::sink([&](json value) { seen += value.size(); }), policy());
  EXPECT_EQ(seen, 1U);
}

json random_value(std::mt19937& random, int depth) {
  switch (random() % (depth > 0 ? 7 : 5)) {
    case 0:
      return nullptr;
    case 1:
      return random() % 2 == 0;
    case 2:
      return static_cast<std::int64_t>(random()) - 1'000'000'000;
    case 3:
      return static_cast<double>(random()) / 7919;
    case 4: {
      std::string text;
      for (auto n = random() % 20; n > 0; --n) text += static_cast<char>(random() % 128);
      return text;
    }
    case 5: {
      auto list = json::array();
      for (auto n = random() % 4; n > 0; --n) list.push_back(random_value(random, depth - 1));
      return list;
    }
    default: {
      auto object = json::object();
      for (auto n = random() % 4; n > 0; --n)
        object[std::to_string(random() % 100)] = random_value(random, depth - 1);
      return object;
    }
  }
}

TEST_P(JsonLines, RandomValuesComeBack) {
  std::mt19937 random(8);
  std::vector<json> values;
  for (int i = 0; i < 500; ++i) values.push_back(random_value(random, 3));
  const auto path = dir / "f";
  tw::run(tw::source(values) | tw::to_json_lines(path), policy());
  std::vector<json> seen;
  tw::run(tw::json_lines<json>(path) | tw::sink(seen), policy());
  EXPECT_EQ(seen, values);
}

}  // namespace
