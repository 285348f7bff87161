#include "apps/hash_search/hash_search.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/hash_search/inputs.hpp"
#include "apps/support/hash.hpp"
#include "apps/support/range.hpp"
#include "message.hpp"
#include "stages/scratch.hpp"

namespace hs = apps::hash_search;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

namespace {

// A list of hashes of these texts, one a line.
std::string list_of(const std::vector<std::string>& texts) {
  std::string list;
  for (const auto& text : texts) list += apps::hash_of(text) + "\n";
  return list;
}

std::vector<hs::wanted> found(const std::filesystem::path& list, const apps::range& within) {
  std::vector<hs::wanted> all;
  hs::source source(list);
  hs::number_hasher hash;
  while (const auto one = source()) all.push_back(hs::search(within, hash, *one));
  EXPECT_EQ(all.size(), source.size());
  EXPECT_FALSE(source());
  return all;
}

std::vector<std::optional<std::uint32_t>> numbers(const std::vector<hs::wanted>& of) {
  std::vector<std::optional<std::uint32_t>> all;
  for (const auto& one : of) all.push_back(one.number);
  return all;
}

std::string written(const scratch& dir, std::uint32_t hashes, const std::vector<hs::wanted>& all) {
  hs::sink sink(dir / "out", hashes);
  for (const auto& one : all) sink(one);
  sink.close();
  return scratch::read(dir / "out");
}

std::vector<std::uint32_t> numbers_made(const scratch& dir, std::string_view input) {
  hs::generate(input, dir.path(), {});
  std::vector<std::uint32_t> made;
  const auto text = scratch::read(dir / hs::numbers_file);
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    made.push_back(text[at] == '-' ? 0 : static_cast<std::uint32_t>(std::stoul(text.substr(at, 12))));
  return made;
}

}  // namespace

TEST(HashSearch, HashesNumbersAsTheyAreWritten) {
  hs::number_hasher hash;
  // What sha256sum says of "0", "17" and "1000000000".
  const auto hex = [&](std::uint32_t number) {
    std::string text;
    for (const auto byte : hash(number))
      text.append(1, "0123456789abcdef"[byte >> 4U]).append(1, "0123456789abcdef"[byte & 15U]);
    return text;
  };
  EXPECT_EQ(hex(0), "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9");
  EXPECT_EQ(hex(17), "4523540f1504cd17100c4835e85b7eefd49911580f8efff0599a8f283be6b9e3");
  EXPECT_EQ(hex(1'000'000'000), apps::hash_of("1000000000"));
}

TEST(HashSearch, FindsTheNumbersOfTheRangeAndNoOthers) {
  const scratch dir;
  const auto list = dir.write("list", list_of({"10", "30", "20", "9", "31", "020", "", "20"}));
  EXPECT_THAT(numbers(found(list, {10, 30})),
              ElementsAre(10U, 30U, 20U, std::nullopt, std::nullopt, std::nullopt, std::nullopt, 20U));
}

TEST(HashSearch, SinkWritesThemInOrderWhateverComesFirst) {
  const scratch dir;
  auto all = found(dir.write("list", list_of({"3", "x", "1"})), {1, 5});
  EXPECT_EQ(written(dir, 3, all), "3\n-\n1\n");
  std::ranges::reverse(all);
  EXPECT_EQ(written(dir, 3, all), "3\n-\n1\n");
}

TEST(HashSearch, SinkRefusesWhatIsMissingOrComesTwice) {
  const scratch dir;
  const auto all = found(dir.write("list", list_of({"3", "2", "1"})), {1, 5});
  EXPECT_THAT(message_of([&] { written(dir, 3, {all[0], all[2]}); }), EndsWith("hash 2 is missing"));
  EXPECT_THAT(message_of([&] { written(dir, 3, {all[0], all[0]}); }), EndsWith("hash 1 came twice"));
  EXPECT_THAT(message_of([&] { written(dir, 2, all); }), HasSubstr("hash 3 came"));
  EXPECT_THAT(dir.names(), ElementsAre("list"));
}

TEST(HashSearch, OfNothingIsNothing) {
  const scratch dir;
  const auto none = found(dir.write("list", ""), {1, 5});
  EXPECT_THAT(none, testing::IsEmpty());
  EXPECT_EQ(written(dir, 0, none), "");
}

TEST(HashSearch, ListsThatAreNoneAreNamed) {
  const scratch dir;
  const auto wrong = [&](const std::string& text) {
    return message_of([&] { hs::source source(dir.write("list", text)); });
  };
  const auto good = list_of({"1"});
  for (const auto& line : {good.substr(1), "0" + good, "g" + good.substr(1), std::string("\n")})
    EXPECT_THAT(wrong(good + line), EndsWith("list:2: not 64 hexadecimal digits"));
  EXPECT_THAT(wrong(good.substr(0, 64) + ",\n" + good.substr(0, 64) + ",more"),
              EndsWith("list:2: there is more than should be"));
  EXPECT_THAT(message_of([&] { hs::source source(dir / "missing"); }), HasSubstr("missing"));
  auto capitals = good;
  for (auto& digit : capitals) digit = static_cast<char>(std::toupper(digit));
  EXPECT_THAT(numbers(found(dir.write("list", capitals), {1, 5})), ElementsAre(1U));
}

TEST(HashSearchInputs, HaveTheClassesOfAllApplications) {
  std::uint64_t before = 0;
  for (const auto name : apps::classes) {
    EXPECT_THAT(hs::about().inputs, testing::Contains(name));
    const auto& one = *std::ranges::find(hs::inputs, name, &hs::input::name);
    EXPECT_GT(std::uint64_t{one.hashes} * one.numbers, before);
    before = std::uint64_t{one.hashes} * one.numbers;
  }
  const scratch dir;
  EXPECT_EQ(message_of([&] { hs::generate("tiny", dir.path(), {}); }), "hash_search has no input 'tiny'");
  hs::generate("test", dir.path(), {});
  EXPECT_EQ(apps::hash_of_file(dir / hs::hashes_file),
            "5978a2e9c8e43e6f078e8134bf2af9f4d9d8a736728c49e0e7bd270bb3e89d08");
}

TEST(HashSearchInputs, DifferInWhereTheNumbersLie) {
  const scratch dir;
  const auto spread = numbers_made(dir, "medium");
  EXPECT_EQ(apps::read_range(dir / apps::range_file), (apps::range{1, 60'000}));
  const auto nowhere = std::ranges::count(spread, 0U);
  EXPECT_GT(nowhere, 2000 / 32 / 2);
  EXPECT_LT(nowhere, 2000 / 32 * 2);
  EXPECT_GT(std::ranges::count_if(spread, [](auto n) { return n > 50'000; }), 200);
  EXPECT_GT(std::ranges::count_if(spread, [](auto n) { return n > 0 && n < 10'000; }), 200);
  const auto even = numbers_made(dir, "medium_even");
  EXPECT_GE(std::ranges::min(even), 28'500U);
  EXPECT_LE(std::ranges::max(even), 31'500U);
  const auto growing = numbers_made(dir, "medium_growing");
  EXPECT_TRUE(std::ranges::is_sorted(growing));
  EXPECT_EQ(growing.front(), 30U);
  EXPECT_EQ(growing.back(), 60'000U);
}

TEST(HashSearchVerifier, AcceptsASequentialRunAndNothingElse) {
  const scratch in;
  hs::generate("test", in.path(), {});
  const auto within = apps::read_range(in / apps::range_file);
  const auto all = found(in / hs::hashes_file, within);
  const auto good = written(in, static_cast<std::uint32_t>(all.size()), all);
  const auto judge = [&](const std::string& text) {
    return hs::verify("test", in.path(), in.write("x", text));
  };
  EXPECT_TRUE(judge(good).good);
  EXPECT_EQ(judge(good).says, "200 hashes, of the numbers that were hashed, 4 of none in the range");
  EXPECT_THAT(judge("1\n" + good).says, testing::AllOf(HasSubstr("line 1 of "), HasSubstr(" is not ")));
  for (const auto& other : {good.substr(1), "1" + good, good + "7\n", good.substr(0, good.size() - 1),
                            good.substr(0, good.size() - 2), std::string()})
    EXPECT_FALSE(judge(other).good);
  EXPECT_THAT(judge(good + "7\n").says, HasSubstr("more than the 200 hashes"));
  EXPECT_THAT(message_of([&] { hs::verify("test", in.path(), in / "missing"); }), HasSubstr("missing"));
}
