#include "apps/fraud_detection/fraud_detection.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fraud_detection.hpp>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "apps/fraud_detection/inputs.hpp"
#include "core/allocations.hpp"
#include "run.hpp"

namespace {

using testing::ExitedWithCode;
namespace fraud = apps::fraud_detection;
namespace fs = std::filesystem;

constexpr int cards = 50, rounds = 200;

class FraudDetection : public run_test {
 protected:
  void SetUp() override { make_input(path("."), 7, 0.01); }
  // One card does what no other card does.
  static void make_input(const fs::path& folder, int strange_card, double false_alarms) {
    std::string text;
    for (int i = 0; i < cards * rounds; ++i) {
      const int card = i % cards;
      const bool strange = card == strange_card && i > cards * rounds / 2;
      text += "CARD" + std::to_string(card) + ",T" + std::to_string(i) +
              (strange && i % 3 == 0 ? ",HHS\n" : ",NNN\n");
    }
    fs::create_directories(folder);
    write(folder / "transactions.csv", text);
    fraud::model::train(folder / "transactions.csv", false_alarms).save(folder / "model.csv");
  }

  void begin(std::initializer_list<std::string> more = {}) { begin_with(path("transactions.csv"), more); }
  // The alarms that a plain loop over the operators gives.
  std::vector<std::string> expected() { return expected_of(path(".")); }
  std::vector<std::string> expected_of(const fs::path& folder) {
    fraud::source next(folder / "transactions.csv");
    fraud::predictor predict(fraud::model::load(folder / "model.csv"));
    {
      fraud::sink sink(path("expected"));
      while (const auto item = next())
        if (const auto alarm = predict(*item)) sink(*alarm);
      sink.close();
    }
    return sorted("expected");
  }
  std::vector<std::string> sorted(const std::string& name) {
    auto lines = lines_of(path(name));
    std::sort(lines.begin(), lines.end());
    return lines;
  }
};

TEST_F(FraudDetection, FindsWhatThePlainOperatorsFind) {
  begin({"-json", path("json")});
  Markov_Model_Predictor predictor;
  std::size_t alarms = 0;
  for (spb::Item item; spb::Source::op(item);) {
    EXPECT_TRUE(item);
    spb::Predictor::op(item, predictor);
    if (!item) continue;
    ++alarms;
    spb::Sink::op(item);
  }
  end();
  EXPECT_GT(alarms, 0U);
  EXPECT_LT(alarms, cards * rounds / 2U);
  EXPECT_EQ(sorted("output"), expected());
  EXPECT_EQ(lines_of(output()).size(), alarms);
  // All transactions count, not only alarms.
  EXPECT_EQ(nlohmann::json::parse(read(path("json")))["elements"], cards * rounds);
}

TEST_F(FraudDetection, ItemsAllocateNothing) {
  begin({"-in-memory"});
  Markov_Model_Predictor predictor;
  std::uint64_t before = 0, count = 0;
  for (spb::Item item; spb::Source::op(item); ++count) {
    if (count == 1'000) before = allocations;  // by then each card has been seen
    spb::Item moved = item;
    spb::Predictor::op(moved, predictor);
    if (moved) spb::Sink::op(moved);
  }
  EXPECT_EQ(allocations, before);
  end();
}

TEST_F(FraudDetection, KeysDivideTheCards) {
  begin();
  std::vector<Markov_Model_Predictor> predictors(3);
  for (spb::Item item; spb::Source::op(item);) {
    const spb::Predictor done(item, predictors[item.key % 3]);
    spb::Sink::op(item);  // an item that is empty does no harm
  }
  end();
  EXPECT_EQ(sorted("output"), expected());
}

TEST_F(FraudDetection, SourcesAndSinksCanBeReplicated) {
  for (const bool in_memory : {false, true}) {
    if (in_memory)
      begin({"-in-memory"});
    else
      begin();
    spb::Source::setReplicas(3);
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 3; ++i)
        threads.emplace_back([] {
          Markov_Model_Predictor predictor;
          for (spb::Item item; spb::Source::op(item);) {
            spb::Predictor::op(item, predictor);
            if (item) spb::Sink::op(item);
          }
        });
    }
    end();
    EXPECT_EQ(sorted("output"), expected());
  }
}

// The same cards come from both: what one predictor knows of them is of each input for itself.
TEST_F(FraudDetection, SourceObjectsHaveAnInputAndAnOutputEach) {
  make_input(path("other"), 31, 0.001);
  begin({"-input", path("other").string()});
  {
    Markov_Model_Predictor predictor;
    spb::Source first(1, 0, 8, 0), second(1, 0, 8, 0);
    for (std::size_t i = 0; !(first.depleted() && second.depleted()); ++i) {
      auto item = i % 3 == 0 ? first.getItem() : second.getItem();
      if (i % 1'000 == 0) predictor = Markov_Model_Predictor(predictor);  // copied as a whole
      spb::Predictor::op(item, predictor);
      if (item) spb::Sink::op(item);
    }
    EXPECT_GT(first.getAverageThroughput(), 0);
  }
  end();
  EXPECT_EQ(sorted("output"), expected());
  EXPECT_EQ(sorted("output.2"), expected_of(path("other")));
  EXPECT_NE(sorted("output.2"), sorted("output"));
}

TEST_F(FraudDetection, ReplicasAreNotOfSourceObjects) {
  begin();
  spb::Source::setReplicas(2);
  {
    spb::Source object(1, 0, 1, 0);
    EXPECT_TRUE(object.depleted());
  }
  EXPECT_EXIT(end(), ExitedWithCode(1), "a source that is an object gives all of its input");
}

TEST_F(FraudDetection, ABadLineIsNamed) {
  write(path("transactions.csv"), read(path("transactions.csv")) + "CARD1,T,XYZ\n");
  begin();
  for (spb::Item item; spb::Source::op(item);) EXPECT_TRUE(item);
  EXPECT_EXIT(end(), ExitedWithCode(1), "transactions.csv:10001: not card,transaction,type");
}

TEST_F(FraudDetection, WrongInputsAndOptionsEndTheProcess) {
  EXPECT_EXIT(
      {
        begin({"-batch-size", "2"});
        spb::Item item;
        spb::Source::op(item);
        end();
      },
      ExitedWithCode(1), "one transaction each");
  EXPECT_EXIT(spb::Source::setReplicas(0), ExitedWithCode(1), "a source or more");
  fs::remove(path("model.csv"));
  EXPECT_EXIT(begin(), ExitedWithCode(1), "model.csv");
}

}  // namespace
