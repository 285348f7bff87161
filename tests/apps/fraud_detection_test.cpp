#include "apps/fraud_detection/fraud_detection.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/fraud_detection/inputs.hpp"
#include "apps/support/choice.hpp"
#include "apps/support/error.hpp"
#include "apps/support/zipf.hpp"
#include "support/eventually.hpp"
#include "text_files.hpp"

namespace fs = std::filesystem;
namespace fraud = apps::fraud_detection;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

template <typename F> std::string error_of(F f) {
  try {
    f();
  } catch (const apps::error& wrong) {
    return wrong.what();
  }
  return "none";
}

std::string text_of(const fraud::transaction& item) {
  return std::string(item.card.text()) + "," + std::string(item.id.text()) + "," +
         std::string(fraud::type_names[item.type - 1U]);
}

std::vector<std::string> all_of(fraud::source source) {
  std::vector<std::string> all;
  while (const auto item = source()) all.push_back(text_of(*item));
  return all;
}

fraud::card card_of(std::string_view text) {
  fraud::card card;
  std::ranges::copy(text, card.characters.begin());
  return card;
}

/// A line of a file; the names grow and shrink with the number.
std::string line_of(int number, bool full) {
  auto card = "CARD" + std::to_string(number % 17);
  auto id = "T" + std::to_string(number);
  if (full) {
    card.resize(10, '-');
    id.resize(12, '-');
  }
  return card + "," + id + "," +
         std::string(fraud::type_names[static_cast<std::size_t>(number) % fraud::types]);
}

std::vector<std::string> many_lines(int count) {
  std::vector<std::string> lines;
  for (int i = 0; i < count; ++i) lines.push_back(line_of(i, i % 5 != 0));
  return lines;
}

class FraudDetection : public testing::Test {
 protected:
  void SetUp() override {
    auto name = (fs::temp_directory_path() / "fraud_detection_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { fs::remove_all(folder); }

  fs::path file(std::string_view text) const {
    write(folder / "transactions.csv", text);
    return folder / "transactions.csv";
  }
  fs::path file(const std::vector<std::string>& lines) const {
    write_lines(folder / "transactions.csv", lines);
    return folder / "transactions.csv";
  }
  /// What is wrong with a file when all of it is read, from disk and from memory.
  std::string wrong_with(std::string_view text) const {
    const auto path = file(text);
    const auto from_disk = error_of([&] { all_of(fraud::source(path)); });
    EXPECT_EQ(from_disk, error_of([&] { fraud::source(path, {}, {.in_memory = true}); }));
    return from_disk;
  }

  fs::path folder;
};

// --- What inputs are made with
// ------------------------------------------------------------------------------------

TEST(Choice, IsAsOftenAsItsWeight) {
  const std::vector<std::uint64_t> weights{1, 0, 3, 4, 0, 2};
  const apps::choice one(weights);
  apps::random dice(1);
  std::array<int, 6> seen{};
  for (int i = 0; i < 100'000; ++i) ++seen[one(dice)];
  for (std::size_t i = 0; i < seen.size(); ++i)
    EXPECT_NEAR(seen[i], static_cast<double>(weights[i]) * 1e4, 500) << i;
  EXPECT_EQ(seen[1] + seen[4], 0);
}

TEST(Choice, OfOne) {
  apps::random dice(1);
  const std::vector<std::uint64_t> weights{5};
  EXPECT_EQ(apps::choice(weights)(dice), 0U);
}

TEST(Zipf, FallsWithTheRank) {
  const auto plain = apps::zipf_weights(100);
  EXPECT_EQ(plain[0] / 10, plain[9]);
  const auto shifted = apps::zipf_weights(100, 9);
  EXPECT_NEAR(static_cast<double>(shifted[0]) / static_cast<double>(shifted[90]), 10, 1e-3);
}

// --- Source
// -------------------------------------------------------------------------------------------------------

TEST_F(FraudDetection, SourceGivesTheLinesOfItsFile) {
  const auto lines = many_lines(20'000);  // several times what is read at once
  const auto path = file(lines);
  EXPECT_EQ(all_of(fraud::source(path)), lines);
  EXPECT_EQ(all_of(fraud::source(path, {}, {.in_memory = true})), lines);
}

TEST_F(FraudDetection, SourceTakesOtherLineEndsAndNone) {
  EXPECT_THAT(all_of(fraud::source(file("A,B,HNS\r\nCARD567890,TRANSACTION2,LNL\r\nC,D,NHL"))),
              ElementsAre("A,B,HNS", "CARD567890,TRANSACTION2,LNL", "C,D,NHL"));
  EXPECT_THAT(all_of(fraud::source(file("CARD567890,TRANSACTION2,LNL"))),
              ElementsAre("CARD567890,TRANSACTION2,LNL"));
}

TEST_F(FraudDetection, SourceKnowsEveryType) {
  for (fraud::type i = 1; i <= fraud::types; ++i) {
    const auto name = std::string(fraud::type_names[i - 1U]);
    EXPECT_EQ(fraud::source(file("A,B," + name + "\n"))()->type, i);
    EXPECT_EQ(fraud::source(file("CARD567890,TRANSACTION2," + name + "\n"))()->type, i);
  }
}

TEST_F(FraudDetection, SourceGoesRoundUntilItHasGivenEnough) {
  const auto path = file(std::vector<std::string>{"A,1,LNL", "B,2,LNN", "C,3,LNS"});
  for (const bool in_memory : {false, true}) {
    const auto of = [&](std::uint64_t count) {
      return all_of(fraud::source(path, {.transactions = count, .time = {}}, {.in_memory = in_memory}));
    };
    EXPECT_THAT(of(0), IsEmpty());
    EXPECT_THAT(of(2), ElementsAre("A,1,LNL", "B,2,LNN"));
    EXPECT_THAT(of(7),
                ElementsAre("A,1,LNL", "B,2,LNN", "C,3,LNS", "A,1,LNL", "B,2,LNN", "C,3,LNS", "A,1,LNL"));
    EXPECT_EQ(of(1000).size(), 1000U);
  }
}

TEST_F(FraudDetection, SourceGoesRoundUntilItsTimeIsOver) {
  const auto path = file(many_lines(300));
  for (const bool in_memory : {false, true}) {
    // In 30 ms on a busy machine it may not come round.
    EXPECT_TRUE(eventually([&] {
      fraud::source next(path, {.transactions = {}, .time = 30ms}, {.in_memory = in_memory});
      const auto begin = std::chrono::steady_clock::now();
      std::uint64_t count = 0;
      while (next()) ++count;
      EXPECT_GE(std::chrono::steady_clock::now() - begin, 30ms);
      EXPECT_EQ(next(), std::nullopt);
      return count > 300;
    }));
  }
}

TEST_F(FraudDetection, SourceReadSlowlyEndsInTimeAfterItWasReadFast) {
  const auto path = file(many_lines(300));
  for (int i = 0; i < 4; ++i) {
    fraud::source next(path, {.transactions = {}, .time = 40ms});
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < 20ms)
      if (!next()) break;
    int slow = 0;
    for (; next(); ++slow) std::this_thread::sleep_for(1ms);
    EXPECT_LE(slow, 20 + 64);
  }
}

TEST_F(FraudDetection, SourcesOfPartsGiveTheWholeTogetherAndEachCardToOne) {
  const auto lines = many_lines(1000);
  const auto path = file(lines);
  for (const bool in_memory : {false, true})
    for (const std::uint64_t count : {300, 1000, 2500}) {
      auto whole = all_of(fraud::source(path, {.transactions = count, .time = {}}));
      std::vector<std::string> together;
      std::map<std::string, std::size_t> home;
      for (std::size_t part = 0; part < 3; ++part)
        for (const auto& line : all_of(fraud::source(path, {.transactions = count, .time = {}},
                                                     {.in_memory = in_memory, .part = part, .parts = 3}))) {
          together.push_back(line);
          EXPECT_EQ(home.emplace(line.substr(0, line.find(',')), part).first->second, part);
        }
      // Cards keep their order: sorted by card alone, both are the same.
      const auto by_card = [](const std::string& line) { return line.substr(0, line.find(',')); };
      std::ranges::stable_sort(whole, {}, by_card);
      std::ranges::stable_sort(together, {}, by_card);
      EXPECT_EQ(together, whole);
    }
}

TEST_F(FraudDetection, SourceOfAPartWithoutCardsEnds) {
  const auto path = file("A,1,LNL\n");
  const auto empty = 1 - fraud::partition_of(card_of("A"), 2);
  for (const bool in_memory : {false, true}) {
    EXPECT_EQ(fraud::source(path, {.transactions = {}, .time = 1h}, {in_memory, empty, 2})(), std::nullopt);
    EXPECT_EQ(fraud::source(path, {.transactions = 1 << 30, .time = {}}, {in_memory, empty, 2})(),
              std::nullopt);
  }
}

TEST_F(FraudDetection, SourceOfNothingEnds) {
  const auto path = file("");
  for (const bool in_memory : {false, true})
    for (const fraud::extent& all :
         {fraud::extent{}, {.transactions = 10, .time = {}}, {.transactions = {}, .time = 1h}})
      EXPECT_EQ(fraud::source(path, all, {in_memory})(), std::nullopt);
}

TEST_F(FraudDetection, SourceNamesTheFileThatItCannotRead) {
  EXPECT_THAT(error_of([&] { fraud::source(folder / "nothing.csv"); }), HasSubstr("nothing.csv"));
  EXPECT_THAT(error_of([&] { fraud::source{folder}; }), HasSubstr(folder.string()));
}

TEST_F(FraudDetection, SourceNamesTheLineThatIsNoTransaction) {
  const std::string good = "CARD567890,TRANSACTION2,LNL\n";
  EXPECT_EQ(wrong_with(good + good), "none");
  for (const std::string bad :
       {"\n",
        "CARD567890\n",
        "CARD567890,TRANSACTION2\n",
        "CARD567890,TRANSACTION2,LLL\n",
        ",TRANSACTION2,LNL\n",
        "CARD567890,TRANSACTION2,LN\n",
        "CARD567890,,LNL\n",
        "CARD567890X,TRANSACTION2,LNL\n",
        "CARD567890,TRANSACTION2X,LNL\n",
        "CARD567890,TRANSACTION2,LNLX\n",
        "CARD,67890,TRANSACTION2,LNL\n",
        "CARD 67890,TRANSACTION2,LNL\n",
        "CARD56789\xE9,TRANSACTION2,LNL\n",
        "CARD567890,TRANSACT,ON2,LNL\n",
        ",ARD567890,TRANSACTION2,LNL\n",
        "CARD56789,,TRANSACTION2,LNL\n",
        "CARD567890,,RANSACTION2,LNL\n",
        "CARD567890,TRANSACTION,,LNL\n",
        "CARD567890,TRANSACTION2,lnl\n",
        "A,B,NNX\n",
        "A\tB,C,LNL\n",
        "A VERY LONG LINE WITHOUT ANY COMMA IN IT, OR ONE THAT IS MUCH TOO FAR TO THE RIGHT\n"})
    for (const std::string& behind : {std::string(), good + good + good}) {
      EXPECT_THAT(wrong_with(good + good + bad + behind), HasSubstr("transactions.csv:3: ")) << bad;
    }
  std::string far;
  for (int i = 0; i < 5000; ++i) far += good;
  EXPECT_THAT(wrong_with(far + "oops"), HasSubstr("transactions.csv:5001: "));
}

// --- State
// --------------------------------------------------------------------------------------------------------

TEST(Histories, KeepTheLastTypesOfEachCard) {
  fraud::histories cards(4);  // grows many times
  std::unordered_map<std::string, std::vector<fraud::type>> expected;
  apps::random dice(3);
  for (int i = 0; i < 60'000; ++i) {
    const auto name = std::to_string(dice.below(10'000));
    const auto type = static_cast<fraud::type>(1 + dice.below(fraud::types));
    cards.of(card_of(name)).add(type);
    expected[name].push_back(type);
  }
  EXPECT_EQ(cards.size(), expected.size());
  for (auto& [name, all] : expected) {
    all.insert(all.begin(), fraud::history::length, 0);
    all.erase(all.begin(), all.end() - fraud::history::length);
    EXPECT_TRUE(std::ranges::equal(cards.of(card_of(name)).types(), all)) << name;
  }
  EXPECT_EQ(cards.size(), expected.size());
}

TEST(Histories, PartitionsAreAlikeInSize) {
  std::array<int, 7> cards{};
  for (int i = 0; i < 7000; ++i)
    ++cards[fraud::partition_of(card_of("CARD" + std::to_string(i)), cards.size())];
  for (const auto count : cards) EXPECT_NEAR(count, 1000, 150);
}

TEST(Histories, CardsOfAPartitionStillHaveUnlikeLowBits) {
  std::set<std::uint64_t> low;
  int count = 0;
  for (int i = 0; count < 256; ++i) {
    const auto card = card_of("CARD" + std::to_string(i));
    if (fraud::partition_of(card, 16) != 5) continue;
    ++count;
    low.insert(fraud::hash_of(card) % 4096);
  }
  EXPECT_GT(low.size(), 220U);
}

// --- Model
// --------------------------------------------------------------------------------------------------------

TEST(Model, SurpriseIsTheLogarithm) {
  for (const std::uint32_t millionths :
       {1U, 2U, 3U, 10U, 777U, 1000U, 55'555U, 499'999U, 500'000U, 900'001U, 1'000'000U})
    EXPECT_EQ(fraud::surprise_of(millionths), std::lround(-std::log2(millionths / 1e6) * 100)) << millionths;
}

/// A model in which LNL is followed by LNN, LNN by LNL, both nine times in ten, and everything else is alike.
std::vector<std::string> model_lines() {
  std::vector<std::string> lines(1);
  for (const auto name : fraud::type_names) lines[0].append(name).append(",");
  lines[0].pop_back();
  for (std::size_t from = 0; from < fraud::types; ++from) {
    std::string row;
    for (std::size_t to = 0; to < fraud::types; ++to)
      row += from > 1 ? "0.055556," : to == 1 - from ? "0.9," : to == 2 ? "0.1," : "0,";
    row.pop_back();
    lines.push_back(row);
  }
  lines.emplace_back("threshold,6.5");
  return lines;
}

TEST_F(FraudDetection, ModelIsReadAsItIsWritten) {
  write_lines(folder / "model.csv", model_lines());
  const auto model = fraud::model::load(folder / "model.csv");
  EXPECT_EQ(model.probability(1, 2), 900'000U);
  EXPECT_EQ(model.probability(2, 1), 900'000U);
  EXPECT_EQ(model.probability(2, 3), 100'000U);
  EXPECT_EQ(model.probability(1, 1), 0U);
  EXPECT_EQ(model.probability(18, 5), 55'556U);
  EXPECT_EQ(model.threshold(), 650U);
  model.save(folder / "again.csv");
  const auto again = fraud::model::load(folder / "again.csv");
  again.save(folder / "third.csv");
  EXPECT_EQ(read(folder / "again.csv"), read(folder / "third.csv"));
  EXPECT_EQ(again.probability(2, 3), 100'000U);
}

TEST_F(FraudDetection, ModelMayNameTheTypesInAnyOrder) {
  auto lines = model_lines();
  lines[0].replace(0, 7, "LNN,LNL");  // both rows and both columns change places
  std::swap(lines[1], lines[2]);
  const auto exchange = [](std::string& row) {
    const auto first = row.substr(0, row.find(','));
    const auto rest = row.substr(first.size() + 1);
    const auto second = rest.substr(0, rest.find(','));
    row = second + "," + first + rest.substr(second.size());
  };
  for (std::size_t i = 1; i <= fraud::types; ++i) exchange(lines[i]);
  write_lines(folder / "exchanged.csv", lines);
  write_lines(folder / "model.csv", model_lines());
  fraud::model::load(folder / "exchanged.csv").save(folder / "a.csv");
  fraud::model::load(folder / "model.csv").save(folder / "b.csv");
  EXPECT_EQ(read(folder / "a.csv"), read(folder / "b.csv"));
}

TEST_F(FraudDetection, ModelThatDoesNotFitIsRefusedByFileAndLine) {
  const auto wrong = [&](std::size_t line, const std::string& text) {
    auto lines = model_lines();
    lines[line - 1] = text;
    write_lines(folder / "model.csv", lines);
    return error_of([&] { fraud::model::load(folder / "model.csv"); });
  };
  const auto good = model_lines();
  EXPECT_EQ(wrong(1, good[0]), "none");
  EXPECT_THAT(wrong(1, "LNL,LNN"), AllOf(HasSubstr("model.csv:1: "), HasSubstr("2 types instead of 18")));
  EXPECT_THAT(wrong(1, good[0] + ",LNL"), HasSubstr("19 types instead of 18"));
  EXPECT_THAT(wrong(1, "XXX" + good[0].substr(3)), AllOf(HasSubstr("model.csv:1: "), HasSubstr("XXX")));
  EXPECT_THAT(wrong(1, "LNN" + good[0].substr(3)), AllOf(HasSubstr("model.csv:1: "), HasSubstr("twice")));
  EXPECT_THAT(wrong(7, good[6] + ",0"), AllOf(HasSubstr("model.csv:7: "), HasSubstr("19 probabilities")));
  EXPECT_THAT(wrong(7, "0.9,0.1"), AllOf(HasSubstr("model.csv:7: "), HasSubstr("2 probabilities")));
  EXPECT_THAT(wrong(3, "x" + good[2].substr(1)), AllOf(HasSubstr("model.csv:3: "), HasSubstr("'x.9'")));
  EXPECT_THAT(wrong(3, "nan" + good[2].substr(3)), AllOf(HasSubstr("model.csv:3: "), HasSubstr("'nan'")));
  EXPECT_THAT(wrong(3, "-" + good[2]), AllOf(HasSubstr("model.csv:3: "), HasSubstr("not a number")));
  EXPECT_THAT(wrong(3, "0.8" + good[2].substr(3)), AllOf(HasSubstr("model.csv:3: "), HasSubstr("0.900000")));
  EXPECT_THAT(wrong(20, "threshold"), HasSubstr("model.csv:20: "));
  EXPECT_THAT(wrong(20, "limit,6.5"), HasSubstr("model.csv:20: "));
  EXPECT_THAT(wrong(20, "threshold,6.5\nmore"), HasSubstr("model.csv:21: "));
  auto shorter = good;
  shorter.resize(12);
  write_lines(folder / "model.csv", shorter);
  EXPECT_THAT(error_of([&] { fraud::model::load(folder / "model.csv"); }),
              AllOf(HasSubstr("model.csv:13: "), HasSubstr("probabilities after NHS")));
  write(folder / "model.csv", "");
  EXPECT_THAT(error_of([&] { fraud::model::load(folder / "model.csv"); }), HasSubstr("model.csv:1: "));
  EXPECT_THAT(error_of([&] { fraud::model::load(folder / "none.csv"); }), HasSubstr("none.csv"));
  EXPECT_THAT(error_of([&] { fraud::model::load(folder); }), HasSubstr(folder.string()));
}

TEST_F(FraudDetection, TrainingCountsTheTransitionsOfEachCard) {
  // A: 1 2 1 2, B between them: 3 3. Of 2 transitions from 1, with 18 more, 3 are to 2.
  const auto path = file("A,1,LNL\nB,2,LNS\nA,3,LNN\nA,4,LNL\nB,5,LNS\nA,6,LNN\n");
  const auto model = fraud::model::train(path);
  EXPECT_EQ(model.probability(1, 2), 150'000U);
  EXPECT_EQ(model.probability(1, 3), 50'000U);
  EXPECT_EQ(model.probability(2, 1), 105'263U);
  EXPECT_EQ(model.probability(2, 2), 52'632U);
  EXPECT_EQ(model.probability(3, 3), 105'263U);
  EXPECT_EQ(model.probability(9, 3), 55'556U);
}

TEST_F(FraudDetection, TrainingLeavesAsManyFalseAlarmsAsAllowed) {
  apps::random dice(5);
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    const auto type = fraud::type_names[dice.below(dice.below(fraud::types) + 1)];
    text += "C" + std::to_string(dice.below(50)) + ",T" + std::to_string(i) + "," + std::string(type) + "\n";
  }
  const auto path = file(text);
  const auto alarms = [&](double allowed) {
    fraud::predictor predict(fraud::model::train(path, allowed));
    fraud::source next(path);
    int count = 0;
    while (const auto item = next()) count += predict(*item).has_value();
    return count;
  };
  EXPECT_EQ(alarms(0), 0);
  EXPECT_LE(alarms(0.01), 200);
  EXPECT_GE(alarms(0.01), 150);
}

TEST_F(FraudDetection, TrainingNamesTheLineThatIsNoTransaction) {
  EXPECT_THAT(error_of([&] { fraud::model::train(file("A,1,LNL\noops\n")); }),
              HasSubstr("transactions.csv:2: "));
  EXPECT_THAT(error_of([&] { fraud::model::train(folder / "none.csv"); }), HasSubstr("none.csv"));
}

// --- Predictor
// ----------------------------------------------------------------------------------------------------

TEST_F(FraudDetection, ScoreAddsUpTheLastTransitions) {
  write_lines(folder / "model.csv", model_lines());
  const auto model = fraud::model::load(folder / "model.csv");
  fraud::history past;
  const auto give = [&](fraud::type type) {
    return fraud::score(model, {.card = card_of("A"), .id = {}, .type = type}, past);
  };
  EXPECT_EQ(give(1), std::nullopt);
  EXPECT_EQ(model.surprise(past), 0U);
  EXPECT_EQ(give(2), std::nullopt);
  EXPECT_EQ(model.surprise(past), 15U);  // -log2 0.9 = 0.15
  EXPECT_EQ(give(3), std::nullopt);
  EXPECT_EQ(model.surprise(past), 15U + 332U);
  const auto alarm = give(3);  // + 4.17, above 6.5
  ASSERT_TRUE(alarm);
  EXPECT_EQ(alarm->surprise, 15U + 332U + 417U);
  EXPECT_EQ(alarm->card, card_of("A"));
  for (int i = 0; i < 10; ++i) give(1 + i % 2);
  EXPECT_EQ(model.surprise(past), 5 * 15U);  // what is longer ago does not count
}

TEST_F(FraudDetection, SurpriseAtTheThresholdIsSuspicious) {
  auto lines = model_lines();
  for (const auto& [threshold, suspicious] : {std::pair("threshold,4.17", true), {"threshold,4.18", false}}) {
    lines.back() = threshold;
    write_lines(folder / "model.csv", lines);
    fraud::predictor predict(fraud::model::load(folder / "model.csv"));
    EXPECT_FALSE(predict({card_of("A"), {}, 5}));
    EXPECT_EQ(predict({card_of("A"), {}, 6}).has_value(), suspicious);
    EXPECT_FALSE(predict({card_of("B"), {}, 6}));
  }
}

// --- Sink
// ---------------------------------------------------------------------------------------------------------

fraud::alarm alarm_of(std::string_view card, std::string_view id, std::uint32_t surprise) {
  fraud::alarm alarm{card_of(card), {}, surprise};
  std::ranges::copy(id, alarm.id.characters.begin());
  return alarm;
}

TEST_F(FraudDetection, SinkWritesALineForEachAlarm) {
  fraud::sink sink(folder / "alarms.csv");
  sink(alarm_of("CARD567890", "TRANSACTION2", 3107));
  sink(alarm_of("A", "B", 1005));
  sink(alarm_of("A", "C", 7));
  sink(alarm_of("CARD567890", "TRANSACTION2", 4294967295));  // the longest line there can be
  EXPECT_EQ(sink.written(), 4U);
  EXPECT_FALSE(fs::exists(folder / "alarms.csv"));
  sink.close();
  EXPECT_THAT(lines_of(folder / "alarms.csv"),
              ElementsAre("CARD567890,TRANSACTION2,31.07", "A,B,10.05", "A,C,0.07",
                          "CARD567890,TRANSACTION2,42949672.95"));
}

TEST_F(FraudDetection, SinkThatIsNotClosedLeavesNothing) {
  {
    fraud::sink sink(folder / "alarms.csv");
    sink(alarm_of("A", "B", 1005));
  }
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(FraudDetection, SinkNamesTheFileThatItCannotMake) {
  EXPECT_THAT(error_of([&] { fraud::sink(folder / "none" / "alarms.csv"); }), HasSubstr("none/alarms.csv"));
  EXPECT_THAT(error_of([&] { fraud::sink{folder}; }), HasSubstr(folder.string()));
}

TEST_F(FraudDetection, FilesOfSeveralSinksAreJoined) {
  const std::vector<fs::path> files{folder / "0.csv", folder / "1.csv", folder / "2.csv"};
  write(files[0], "A,B,1.00\n");
  write(files[1], "");
  EXPECT_THAT(error_of([&] { fraud::join(files, folder / "alarms.csv"); }), HasSubstr("2.csv"));
  EXPECT_TRUE(fs::exists(files[0]));
  EXPECT_FALSE(fs::exists(folder / "alarms.csv"));
  write(files[2], "C,D,2.00\nE,F,3.00\n");
  fraud::join(files, folder / "alarms.csv");
  EXPECT_THAT(lines_of(folder / "alarms.csv"), ElementsAre("A,B,1.00", "C,D,2.00", "E,F,3.00"));
  for (const auto& file : files) EXPECT_FALSE(fs::exists(file));
}

// --- Inputs and verifier
// ------------------------------------------------------------------------------------------

/// FNV-1a.
std::uint64_t hash_of_file(const fs::path& file) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const unsigned char byte : read(file)) hash = (hash ^ byte) * 0x100000001B3;
  return hash;
}

void run(std::string_view input, const fs::path& folder, const fs::path& output, std::size_t partitions = 1) {
  fraud::source next(folder / fraud::transactions_file, fraud::input_named(input).extent);
  std::vector<fraud::predictor> predict(partitions,
                                        fraud::predictor(fraud::model::load(folder / fraud::model_file)));
  fraud::sink write(output);
  std::vector<fraud::alarm> held;  // partitions run apart: their alarms come in another order
  while (const auto item = next())
    if (const auto alarm = predict[fraud::partition_of(item->card, partitions)](*item))
      held.push_back(*alarm);
  if (partitions > 1)
    std::ranges::stable_sort(held, {},
                             [&](const auto& alarm) { return fraud::partition_of(alarm.card, partitions); });
  for (const auto& alarm : held) write(alarm);
  write.close();
}

/// The input `test_n` and what a good program makes of it.
class FraudInput : public FraudDetection {
 protected:
  void SetUp() override {
    FraudDetection::SetUp();
    input = folder / "input";
    output = folder / "alarms.csv";
    fs::create_directory(input);
    fraud::generate("test_n", input, {});
  }
  apps::verdict verify(std::string_view name = "test_n") const { return fraud::verify(name, input, output); }
  apps::verdict verify_lines(const std::vector<std::string>& lines, std::string_view name = "test_n") const {
    write_lines(output, lines);
    return verify(name);
  }

  fs::path input;
  fs::path output;
};

TEST_F(FraudInput, IsTheSameOnEveryMachine) {
  EXPECT_EQ(hash_of_file(input / fraud::transactions_file), 17433223856987685442U);
  EXPECT_EQ(hash_of_file(input / fraud::training_file), 6914845840375532966U);
  EXPECT_EQ(hash_of_file(input / fraud::model_file), 13888747576962822786U);
  EXPECT_EQ(hash_of_file(input / fraud::planted_file), 5115053467200367452U);
  EXPECT_EQ(std::distance(fs::directory_iterator(input), {}), 4);
}

TEST_F(FraudInput, HasWhatIsTrueAboutIt) {
  std::unordered_set<std::string> ids;
  std::unordered_map<std::string, int> cards;
  for (const auto& line : all_of(fraud::source(input / fraud::transactions_file))) {
    const auto comma = line.find(',');
    EXPECT_EQ(comma, 10U);
    EXPECT_TRUE(ids.insert(line.substr(0, line.rfind(','))).second) << line;
    ++cards[line.substr(0, comma)];
  }
  EXPECT_EQ(ids.size(), 100'000U);
  EXPECT_LE(cards.size(), 5000U);
  EXPECT_GE(cards.size(), 4500U);
  // Few are used much.
  const auto most = std::ranges::max_element(cards, {}, [](const auto& card) { return card.second; })->second;
  EXPECT_GT(most, 1000);
  EXPECT_LT(most, 2000);

  std::map<std::string, int> episodes;
  for (const auto& line : lines_of(input / fraud::planted_file)) {
    const auto comma = line.find(',');
    ++episodes[line.substr(0, comma)];
    EXPECT_TRUE(ids.contains(line.substr(comma + 1))) << line;
  }
  EXPECT_GE(episodes.size(), 25U);
  EXPECT_LE(episodes.size(), 60U);
  for (const auto& [episode, size] : episodes) EXPECT_LE(size, 9) << episode;
}

TEST_F(FraudDetection, GeneratorTellsHowFarItIs) {
  std::vector<std::uint64_t> seen;
  fraud::generate("test", folder, [&](std::uint64_t done, std::uint64_t all) {
    EXPECT_EQ(all, 200'000U);
    seen.push_back(done);
  });
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_EQ(seen.back(), 200'000U);
}

TEST_F(FraudInput, VerifierAcceptsASequentialRun) {
  run("test_n", input, output);
  const auto [good, says] = verify();
  EXPECT_TRUE(good) << says;
  EXPECT_THAT(says, AllOf(HasSubstr("1534 alarms"), HasSubstr("precision 0.965"), HasSubstr("recall 1.000")));
}

TEST_F(FraudInput, VerifierAcceptsAnyOrderAndPartitions) {
  run("test_n", input, output, 5);
  EXPECT_TRUE(verify().good) << verify().says;
  auto lines = lines_of(output);
  std::ranges::reverse(lines);
  EXPECT_TRUE(verify_lines(lines).good);
}

TEST_F(FraudInput, VerifierRefusesWhatASequentialRunDoesNotGive) {
  run("test_n", input, output);
  const auto good = lines_of(output);
  ASSERT_GT(good.size(), 100U);
  const auto refused = [&](const std::vector<std::string>& lines, std::string_view says) {
    const auto verdict = verify_lines(lines);
    EXPECT_FALSE(verdict.good);
    EXPECT_THAT(verdict.says, AllOf(HasSubstr("alarms.csv"), HasSubstr(std::string(says))));
  };
  auto bad = good;
  bad.pop_back();
  refused(bad, "1 alarms of 1534 are missing");
  bad = good;
  bad.push_back(bad[7]);
  refused(bad, "alarms.csv:1535: '" + bad[7] + "' comes too often");
  bad = good;
  bad[50].back() = bad[50].back() == '1' ? '2' : '1';
  refused(bad, "alarms.csv:51: '" + bad[50] + "' is no alarm");
  bad = good;
  bad[0] = bad[1];  // as many, but not the same
  refused(bad, "comes too often");
  bad.insert(bad.begin() + 3, "");
  refused(bad, "alarms.csv:4: '' is no alarm");
  refused({}, "1534 alarms of 1534 are missing");
  auto cut = read(output);
  write_lines(output, good);
  cut = read(output);
  cut.pop_back();
  write(output, cut);
  EXPECT_FALSE(verify().good);
  EXPECT_THAT(verify().says, HasSubstr("cut off"));
}

TEST_F(FraudInput, VerifierRefusesCardsOfAPartitionThatMetAnotherState) {
  // Transactions dealt out in turn, whatever their card: what a farm without keys would do.
  fraud::source next(input / fraud::transactions_file, fraud::input_named("test_n").extent);
  std::vector<fraud::predictor> predict(2, fraud::predictor(fraud::model::load(input / fraud::model_file)));
  fraud::sink write(output);
  for (std::size_t i = 0; const auto item = next(); ++i)
    if (const auto alarm = predict[i % 2](*item)) write(*alarm);
  write.close();
  EXPECT_FALSE(verify().good);
}

TEST_F(FraudInput, VerifierOfADurationAcceptsPartsAndRepetitions) {
  run("test_n", input, output);
  auto lines = lines_of(output);
  EXPECT_TRUE(verify("test").good) << verify("test").says;
  lines.insert(lines.end(), lines.begin(), lines.begin() + 500);
  EXPECT_TRUE(verify_lines(lines, "test").good);
  lines.resize(3);
  EXPECT_TRUE(verify_lines(lines, "test").good);
  EXPECT_FALSE(verify_lines({}, "test").good);
  lines[1].back() = lines[1].back() == '1' ? '2' : '1';
  EXPECT_THAT(verify_lines(lines, "test").says, HasSubstr("alarms.csv:2: "));
  EXPECT_FALSE(verify_lines(lines, "test").good);
}

TEST_F(FraudInput, VerifierRefusesAModelThatFindsLittleOrTooMuch) {
  auto model = lines_of(input / fraud::model_file);
  for (const auto* threshold : {"threshold,15", "threshold,45"}) {
    model.back() = threshold;
    write_lines(input / fraud::model_file, model);
    run("test_n", input, output);
    EXPECT_FALSE(verify().good);
    EXPECT_THAT(verify().says, HasSubstr("neither may be below 0.9")) << threshold;
  }
}

TEST_F(FraudInput, VerifierNamesTheFileThatItCannotRead) {
  EXPECT_THAT(error_of([&] { verify(); }), HasSubstr("alarms.csv"));
  write(output, "");
  write(input / fraud::planted_file, "1,CARD\n");
  EXPECT_THAT(error_of([&] { verify(); }), HasSubstr("planted.csv:1: "));
  fs::remove(input / fraud::planted_file);
  EXPECT_THAT(error_of([&] { verify(); }), HasSubstr("planted.csv"));
  fs::remove(input / fraud::model_file);
  EXPECT_THAT(error_of([&] { verify(); }), HasSubstr("model.csv"));
  fs::remove(input / fraud::transactions_file);
  EXPECT_THAT(error_of([&] { verify(); }), HasSubstr("transactions.csv"));
  EXPECT_THAT(error_of([&] { verify("tset"); }), HasSubstr("'tset'"));
}

TEST(FraudAbout, NamesInputsAndOperators) {
  const auto& about = fraud::about();
  EXPECT_EQ(about.name, "fraud_detection");
  EXPECT_THAT(about.operators, ElementsAre("source", "predictor", "sink"));
  for (const auto name : apps::classes) {
    EXPECT_THAT(about.inputs, testing::Contains(name));
    EXPECT_THAT(about.inputs, testing::Contains(std::string(name) + "_n"));
  }
  EXPECT_THAT(error_of([&] { about.generate("none", "", {}); }), HasSubstr("'none'"));
}

}  // namespace
