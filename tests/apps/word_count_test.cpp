#include "apps/word_count/word_count.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/support/hash.hpp"
#include "apps/support/random.hpp"
#include "apps/word_count/inputs.hpp"
#include "apps/word_count/letters.hpp"
#include "message.hpp"
#include "stages/scratch.hpp"

namespace wc = apps::word_count;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

namespace {

using counted = std::map<std::string, std::uint64_t>;

wc::passage passage_of(std::string_view text) {
  return {0, apps::bytes(text.begin(), text.end()), {}};
}

std::vector<std::string> words_of(std::string_view text) {
  const auto of = wc::split(passage_of(text));
  std::vector<std::string> found;
  for (const auto& one : of.words) found.emplace_back(of.letters(one));
  return found;
}

counted in_map(const wc::counts& counts) {
  counted found;
  counts.for_each([&](std::string_view word, std::uint64_t times) {
    EXPECT_TRUE(found.emplace(word, times).second) << word;
  });
  EXPECT_EQ(found.size(), counts.size());
  return found;
}

counted in_map(const wc::passage& of) {
  counted found;
  for (const auto& one : of.words) found[std::string(of.letters(one))] += one.times;
  return found;
}

std::vector<std::string> texts_of(wc::source source) {
  std::vector<std::string> texts;
  while (const auto some = source()) {
    EXPECT_EQ(some->number, texts.size());
    texts.emplace_back(apps::view(some->text));
  }
  EXPECT_FALSE(source());
  return texts;
}

std::string run(const scratch& dir, const wc::stream& of) {
  wc::source source(of.text, of.passes);
  wc::counts counts;
  while (auto some = source()) counts(wc::split(std::move(*some)));
  wc::sink sink(dir / "out");
  sink(counts);
  sink.close();
  return scratch::read(dir / "out");
}

// Words of all lengths, short ones often.
std::string random_text(std::uint64_t seed, std::size_t words) {
  apps::random dice(seed);
  std::string text;
  for (std::size_t i = 0; i < words; ++i) {
    for (auto length = dice.between(1, dice.chance(0.1) ? 30 : 4); length > 0; --length)
      text += "abcXYZ7\xC3"[dice.below(8)];
    text += " .\n"[dice.below(3)];
  }
  return text;
}

}  // namespace

TEST(WordCount, WordsAreRunsOfLettersAndDigits) {
  EXPECT_THAT(words_of("It's 20\xC2\xB0"
                       "C, R2-D2!"),
              ElementsAre("it", "s",
                          "20\xC2\xB0"
                          "c",
                          "r2", "d2"));
  EXPECT_THAT(words_of("@AZ[`az{/09:"), ElementsAre("az", "az", "09"));
  EXPECT_THAT(words_of(std::string("a\0b\x7F\x80", 5)), ElementsAre("a", "b", "\x80"));
  EXPECT_THAT(words_of("  \n"), IsEmpty());
  EXPECT_THAT(words_of(""), IsEmpty());
  EXPECT_THAT(words_of("x"), ElementsAre("x"));
}

TEST(WordCount, HashesTellWordsOfAllLengthsApart) {
  std::string word;
  std::vector<std::uint32_t> hashes;
  for (int length = 1; length <= 40; ++length) {
    word += 'a';
    hashes.push_back(wc::hash_of(word));
    for (auto& letter : word) {  // each letter counts
      letter = 'b';
      hashes.push_back(wc::hash_of(word));
      letter = 'a';
    }
  }
  std::ranges::sort(hashes);
  EXPECT_EQ(std::ranges::adjacent_find(hashes), hashes.end());
  EXPECT_EQ(wc::part_of(0, 3), 0U);
  EXPECT_EQ(wc::part_of(UINT32_MAX, 3), 2U);
}

TEST(WordCount, CountsAreThoseOfAMap) {
  const auto text = random_text(1, 20'000);
  const auto of = wc::split(passage_of(text));
  wc::counts counts;
  counts(of);
  counts(of);
  auto twice = in_map(of);
  ASSERT_GT(twice.size(), 2000U);  // the table has grown
  for (auto& [word, times] : twice) times *= 2;
  EXPECT_EQ(in_map(counts), twice);
  EXPECT_EQ(counts.times("a"), twice["a"]);
  EXPECT_EQ(counts.times("not there"), 0U);
  counts.add("not there", 3);
  EXPECT_EQ(counts.times("not there"), 3U);
}

TEST(WordCount, CombineKeepsTheCounts) {
  wc::combine combine;
  for (const std::size_t words : {5'000, 10, 0, 5'000}) {  // its memory is used again
    const auto of = wc::split(passage_of(random_text(words, words)));
    const auto few = combine(of);
    EXPECT_EQ(in_map(few), in_map(of));
    EXPECT_EQ(few.words.size(), in_map(of).size());
  }
  const auto three = combine(wc::split(passage_of("b a b c a b")));
  ASSERT_EQ(three.words.size(), 3U);
  EXPECT_EQ(three.letters(three.words[0]), "b");
  EXPECT_EQ(three.words[0].times, 3U);
}

TEST(WordCount, DivideGivesEachWordToOnePart) {
  const auto of = wc::split(passage_of(random_text(3, 5'000)));
  for (const std::size_t parts : {1, 2, 7}) {
    counted together;
    for (const auto& part : wc::divide(of, parts)) {
      EXPECT_GT(part.words.size(), of.words.size() / parts / 2);
      for (const auto& [word, times] : in_map(part)) EXPECT_TRUE(together.emplace(word, times).second);
    }
    EXPECT_EQ(together, in_map(of));
  }
}

TEST(WordCount, PassagesEndWhereWordsEnd) {
  const scratch dir;
  const auto text = random_text(4, 60'000);
  ASSERT_GT(text.size(), 2 * wc::passage_size);
  const auto file = dir.write("text", text);
  for (const auto held : {apps::input_held::on_disk, apps::input_held::in_memory}) {
    const auto texts = texts_of(wc::source(file, 1, held));
    EXPECT_GT(texts.size(), 2U);
    std::string all;
    for (const auto& some : texts) {
      EXPECT_LE(some.size(), wc::passage_size);
      EXPECT_EQ(wc::letter_of(some.back()), 0);
      all += some;
    }
    EXPECT_EQ(all, text);
    const auto twice = texts_of(wc::source(file, 2, held));
    EXPECT_EQ(twice.size(), 2 * texts.size());
    EXPECT_TRUE(std::equal(texts.rbegin(), texts.rend(), twice.rbegin()));
  }
}

TEST(WordCount, PassesDoNotTouch) {
  const scratch dir;
  EXPECT_THAT(texts_of(wc::source(dir.write("a", "end"), 3)), ElementsAre("end", "end", "end"));
  EXPECT_EQ(run(dir, {dir / "a", 3}), "3\tend\n");
  // A file that ends where a passage does.
  const auto full = std::string(wc::passage_size - 1, 'x') + " ";
  EXPECT_THAT(texts_of(wc::source(dir.write("b", full), 2)), ElementsAre(full, full));
}

TEST(WordCount, WordsLongerThanAPassageAreWhole) {
  const scratch dir;
  const std::string longest(wc::longest_word - 1, 'w');
  const auto text = std::string(1000, ' ') + longest + " a " + std::string(100'000, 'v');
  EXPECT_EQ(run(dir, {dir.write("a", text), 1}),
            "1\ta\n1\t" + std::string(100'000, 'v') + "\n1\t" + longest + "\n");
  const auto longer = dir.write("b", "w" + longest);
  EXPECT_THAT(message_of([&] { texts_of(wc::source(longer)); }),
              EndsWith("b' is no text: it has a word of 1048576 bytes or more"));
}

TEST(WordCount, SinkSortsByCountThenByBytes) {
  const scratch dir;
  EXPECT_EQ(run(dir, {dir.write("a", "b a \xC3\xA4 c b c z"), 1}), "2\tb\n2\tc\n1\ta\n1\tz\n1\t\xC3\xA4\n");
  EXPECT_EQ(run(dir, {dir.write("a", "!"), 1}), "");
}

TEST(WordCount, SinkTakesPartsButNoWordTwice) {
  const scratch dir;
  wc::counts some, others;
  some.add("a", 1);
  others.add("b", 2);
  {
    wc::sink sink(dir / "out");
    for (const auto& part : {some, wc::counts(), others}) sink(part);
    sink.close();
  }
  EXPECT_EQ(scratch::read(dir / "out"), "2\tb\n1\ta\n");
  others.add("a", 1);
  EXPECT_THAT(message_of([&] {
                wc::sink sink(dir / "other");
                sink(some);
                sink(others);
              }),
              EndsWith("other' is not written: the word 'a' was counted in two parts"));
  EXPECT_THAT(dir.names(), ElementsAre("out"));
}

TEST(WordCountInputs, AreTheSameEachTime) {
  const scratch dir;
  wc::generate("test", dir.path(), {});
  EXPECT_EQ(apps::hash_of_file(dir / wc::text_file),
            "3803fb0d85fca119507e9ab42ff39e84aebee2ea5b80fb131cb57afca1340007");
  EXPECT_EQ(wc::read_stream(dir.path()).passes, 2U);
  EXPECT_EQ(message_of([&] { wc::generate("tiny", dir.path(), {}); }), "word_count has no input 'tiny'");
  std::uint64_t before = 0;
  for (const auto& one : wc::inputs) {
    EXPECT_GT(one.bytes * one.passes, before);
    before = one.bytes * one.passes;
  }
  for (const auto name : apps::classes) EXPECT_THAT(wc::about().inputs, testing::Contains(name));
}

TEST(WordCount, OfNothingIsNothing) {
  const scratch dir;
  const auto hollow = dir.write("hollow", "");
  for (const auto held : {apps::input_held::on_disk, apps::input_held::in_memory})
    EXPECT_EQ(wc::source(hollow, 3, held)(), std::nullopt);
  wc::sink sink(dir / "counts");
  sink.close();
  EXPECT_EQ(scratch::read(dir / "counts"), "");
}

TEST(WordCountInputs, ThatAreNoneAreNamed) {
  const scratch dir;
  EXPECT_THAT(message_of([&] { wc::source source(dir / "missing"); }), HasSubstr("missing"));
  EXPECT_EQ(wc::read_stream(dir.write("text", "passes 3")).passes, 1U);  // a user's text
  dir.write("stream.txt", "passes 0\n");
  EXPECT_THAT(message_of([&] { wc::read_stream(dir.path()); }), HasSubstr("stream.txt' has passes 0"));
  dir.write("stream.txt", "passes 1\nwords 3\n");
  EXPECT_THAT(message_of([&] { wc::read_stream(dir.path()); }), EndsWith("has an unknown 'words'"));
}

TEST(WordCountVerifier, AcceptsASequentialRunAndNothingElse) {
  const scratch in;
  in.write(wc::text_file, random_text(5, 3000) + "The the THE \xC3\xA4 @[`{/: end");
  in.write(wc::stream_file, "passes 2\n");
  const auto good = run(in, wc::read_stream(in.path()));
  EXPECT_THAT(good, HasSubstr("\n6\tthe\n"));
  const auto judge = [&](const std::string& text) {
    return wc::verify("test", in.path(), in.write("x", text));
  };
  EXPECT_TRUE(judge(good).good);
  EXPECT_EQ(judge(good).says, "6010 words, 1327 different ones, counted by sorting");
  auto wrong = good;
  wrong.replace(wrong.find("\n6\tthe\n"), 2, "\n8");
  EXPECT_THAT(judge(wrong).says, testing::AllOf(HasSubstr("line "), EndsWith(" is not 6 times 'the'")));
  EXPECT_FALSE(judge(wrong).good);
  for (const auto& other :
       {good.substr(1), good + "2\tmore\n", good.substr(0, good.size() - 1), std::string()})
    EXPECT_FALSE(judge(other).good);
  EXPECT_THAT(judge(good + "2\tmore\n").says, HasSubstr("more than the "));
  EXPECT_THAT(message_of([&] { wc::verify("test", in.path(), in / "missing"); }), HasSubstr("missing"));
}
