#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <word_count.hpp>

#include "run.hpp"

namespace {

using testing::ExitedWithCode;

constexpr std::size_t times = 100'000;

class WordCount : public run_test {
 protected:
  void SetUp() override {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += i % 10 == 0 ? "Every tenth\n" : "word, ";
    write(path("text"), text);
  }
  void begin(std::initializer_list<std::string> more = {}) { begin_with(path("text"), more); }
  const std::string counted = "90000\tword\n10000\tevery\n10000\ttenth\n";
};

TEST_F(WordCount, CountsInOneState) {
  begin({"-json", path("json"), "-latency"});
  spb::Counts counts;
  std::size_t items = 0;
  for (spb::Item item; spb::Source::op(item); ++items) {
    spb::Split::op(item);
    spb::Count::op(item, counts);
  }
  EXPECT_EQ(counts.size(), 3U);
  spb::Sink::op(counts);
  end();
  EXPECT_EQ(read(output()), counted);
  // Passages are what counts, and each has arrived when its words have been counted.
  const auto found = nlohmann::json::parse(read(path("json")));
  EXPECT_GT(items, 5U);
  EXPECT_EQ(found["elements"], items);
  EXPECT_EQ(found["latency"]["count"], items);
}

TEST_F(WordCount, CountsByPartsWhateverTheBatch) {
  for (const std::string batch : {"1", "3"}) {
    begin({"-batch-size", batch, "-in-memory"});
    std::vector<spb::Counts> parts(3);
    for (spb::Item item; spb::Source::op(item);) {
      const spb::Split split(item);
      const spb::Combine combine(item);
      auto divided = spb::Divide::op(item, parts.size());
      ASSERT_EQ(divided.size(), parts.size());
      for (auto& part : divided) {
        EXPECT_EQ(part.size(), item.size());
        EXPECT_EQ(part.batch_index, item.batch_index);
        spb::Count::op(part, parts[part.key]);
      }
    }
    for (auto& part : parts) const spb::Sink sink(part);
    end();
    EXPECT_EQ(read(output()), counted);
  }
}

// Words that both texts have count for each of them.
TEST_F(WordCount, SourceObjectsHaveAnInputAndAnOutputEach) {
  write(path("other"), "word tenth tenth\n");
  begin({"-input", path("other").string()});
  std::vector<spb::Counts> parts(2);
  {
    spb::Source first(2, 0, 1, 0), second;
    second.init();
    while (!(first.depleted() && second.depleted())) {
      for (auto item : {first.getItem(), second.getItem()}) {
        spb::Split::op(item);
        for (auto& part : spb::Divide::op(item, parts.size())) spb::Count::op(part, parts[part.key]);
      }
    }
    // Nothing has come to the sink; passages count when they are taken.
    EXPECT_GT(first.getAverageThroughput(), 0);
    EXPECT_EQ(second.getSourceName(), "other");
  }
  EXPECT_EQ(parts[0].size() + parts[1].size(), 3U);
  EXPECT_EQ(parts[0].size(1) + parts[1].size(1), 2U);
  for (auto& part : parts) spb::Sink::op(part);
  end();
  EXPECT_EQ(read(output()), counted);
  EXPECT_EQ(read(path("output.2")), "2\ttenth\n1\tword\n");
}

TEST(Counts, AreCopiedAsAWhole) {
  spb::Counts counts;
  const auto listed = [](const spb::Counts& of, int source) {
    std::string found;
    of.for_each([&](const std::string& word, std::uint64_t times) { found += word + std::to_string(times); },
                source);
    return found;
  };
  EXPECT_EQ(counts.size(), 0U);
  EXPECT_EQ(listed(counts, 3), "");
  counts.add("word", 2);
  const auto copied = counts;
  counts.add("word", 3, -1);  // `Source::op` and the first object have the same input
  counts.add("other", 1, 2);
  EXPECT_EQ(listed(counts, 0), "word5");
  EXPECT_EQ(listed(counts, 2), "other1");
  EXPECT_EQ(listed(counts, 1), "");
  EXPECT_EQ(listed(copied, 0), "word2");
  const auto moved = std::move(counts);
  EXPECT_EQ(moved.size(2), 1U);
}

TEST_F(WordCount, AWordInTwoPartsIsAnError) {
  begin();
  std::vector<spb::Counts> wrong(2);
  for (spb::Item item; spb::Source::op(item);) {
    spb::Split::op(item);
    spb::Count::op(item, wrong[item.batch_index % 2]);
  }
  for (auto& part : wrong) spb::Sink::op(part);
  EXPECT_EXIT(end(), ExitedWithCode(1), "was counted in two parts");
}

TEST_F(WordCount, AnErrorInTheStreamLeavesNoOutput) {
  write(path("text"), "a b c " + std::string(2'000'000, 'x'));
  begin();
  spb::Counts counts;
  for (spb::Item item; spb::Source::op(item);) {
    spb::Split::op(item);
    spb::Count::op(item, counts);
  }
  EXPECT_EQ(spb::Divide::op(spb::Item(), 2).size(), 2U);  // programs may count on it
  spb::Sink::op(counts);
  EXPECT_EXIT(end(), ExitedWithCode(1), "text' is no text");
  EXPECT_FALSE(std::filesystem::exists(output()));
}

}  // namespace
