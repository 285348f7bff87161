#include "apps/primes/primes.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/primes/inputs.hpp"
#include "apps/support/hash.hpp"
#include "message.hpp"
#include "stages/scratch.hpp"

namespace primes = apps::primes;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

namespace {

std::vector<primes::candidate> tested(const apps::range& range) {
  std::vector<primes::candidate> all;
  primes::source source(range);
  while (const auto next = source()) all.push_back(primes::primality(*next));
  return all;
}

std::string written(const scratch& dir, const apps::range& range,
                    const std::vector<primes::candidate>& numbers) {
  primes::sink sink(dir / "out", range);
  for (const auto& number : numbers) sink(number);
  sink.close();
  return scratch::read(dir / "out");
}

bool is_prime(std::uint32_t number) {
  return primes::primality({number, false}).prime;
}

}  // namespace

TEST(Primes, AreThoseOfTheTextbook) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t number = 1; number < 60; ++number)
    if (is_prime(number)) found.push_back(number);
  EXPECT_THAT(found, ElementsAre(2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59));
  EXPECT_TRUE(is_prime(7919));
  EXPECT_TRUE(is_prime(999'983));
  EXPECT_FALSE(is_prime(997 * 997));
  EXPECT_FALSE(is_prime(999'999'999));
  EXPECT_FALSE(is_prime(apps::most_in_range));
}

TEST(Primes, SourceGivesEveryNumberOfTheRangeOnce) {
  const auto given = tested({5, 9});
  ASSERT_EQ(given.size(), 5U);
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(given[i].number, 5 + i);
  primes::source one({apps::most_in_range, apps::most_in_range});
  EXPECT_EQ(one()->number, apps::most_in_range);
  EXPECT_FALSE(one());
  EXPECT_FALSE(one());
}

TEST(Primes, SinkWritesThemInOrderWhateverComesFirst) {
  const scratch dir;
  auto numbers = tested({2, 12});
  EXPECT_EQ(written(dir, {2, 12}, numbers), "2\n3\n5\n7\n11\n");
  std::ranges::reverse(numbers);
  EXPECT_EQ(written(dir, {2, 12}, numbers), "2\n3\n5\n7\n11\n");
}

TEST(Primes, SinkRefusesWhatIsMissingOrComesTwice) {
  const scratch dir;
  const auto numbers = tested({2, 12});
  auto few = numbers;
  few.erase(few.begin() + 3);
  EXPECT_THAT(message_of([&] { written(dir, {2, 12}, few); }), EndsWith("number 5 is missing"));
  auto many = numbers;
  many.push_back(numbers[4]);
  EXPECT_THAT(message_of([&] { written(dir, {2, 12}, many); }), EndsWith("number 6 came twice"));
  EXPECT_THAT(message_of([&] { written(dir, {3, 12}, numbers); }), HasSubstr("number 2 came"));
  EXPECT_TRUE(dir.names().empty());  // nothing half written
}

TEST(Primes, RangeIsReadAsItWasWritten) {
  const scratch dir;
  const apps::range range{17, 1'000'000};
  apps::write_range(range, dir / "a.txt");
  EXPECT_EQ(apps::read_range(dir / "a.txt"), range);
}

TEST(Primes, RangeThatIsNoneIsNamed) {
  const scratch dir;
  const auto wrong = [&](const std::string& text) {
    return message_of([&] { apps::read_range(dir.write("a.txt", text)); });
  };
  EXPECT_THAT(wrong("first 0\nlast 5\n"), EndsWith("first 0, which is no number from 1 to 1000000000"));
  EXPECT_THAT(wrong("first 6\nlast 5\n"), EndsWith("last 5, which is no number from 6 to 1000000000"));
  EXPECT_THAT(wrong("first 6\nlast 1000000001\n"), HasSubstr("last 1000000001"));
  EXPECT_THAT(wrong("first 6\n"), EndsWith("a.txt' has no 'last'"));
  EXPECT_THAT(wrong("first 6\nlast 7\nstep 2\n"), EndsWith("has an unknown 'step'"));
}

TEST(PrimesInputs, HaveTheClassesOfAllApplications) {
  const scratch dir;
  std::uint32_t before = 0;
  for (const auto name : apps::classes) {
    EXPECT_THAT(primes::about().inputs, testing::Contains(name));
    primes::generate(name, dir.path(), {});
    const auto range = apps::read_range(dir / apps::range_file);
    EXPECT_GT(range.size(), before);
    before = range.size();
  }
  EXPECT_EQ(message_of([&] { primes::generate("tiny", dir.path(), {}); }), "primes has no input 'tiny'");
}

TEST(PrimesVerifier, AcceptsASequentialRunAndNothingElse) {
  const scratch in;
  primes::generate("test", in.path(), {});
  const auto range = apps::read_range(in / apps::range_file);
  const auto good = written(in, range, tested(range));
  EXPECT_EQ(apps::hash_of(good), "e6425739c3e2c7236062ab120019e67694bfa54fb97ab782081dcfb136e30663");
  const auto judge = [&](const std::string& text) {
    return primes::verify("test", in.path(), in.write("x", text));
  };
  EXPECT_TRUE(judge(good).good);
  EXPECT_EQ(judge(good).says, "3245 primes, those of a sieve");
  auto wrong = good;
  wrong.replace(wrong.find("\n13\n"), 4, "\n15\n");
  EXPECT_THAT(judge(wrong).says, testing::AllOf(HasSubstr("line 6 of "), EndsWith(" is not 13")));
  EXPECT_FALSE(judge(wrong).good);
  for (const auto& other : {good.substr(2), good + "30011\n", good.substr(0, good.size() - 6),
                            good.substr(0, good.size() - 1), std::string()})
    EXPECT_FALSE(judge(other).good);
  EXPECT_THAT(judge(good + "30011\n").says, HasSubstr("more than the 3245 primes"));
  EXPECT_THAT(judge("").says, HasSubstr("line 1 of "));
  EXPECT_THAT(message_of([&] { primes::verify("test", in.path(), in / "missing"); }), HasSubstr("missing"));
}
