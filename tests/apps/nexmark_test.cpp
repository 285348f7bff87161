#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "apps/nexmark/application.hpp"
#include "apps/nexmark/generator.hpp"
#include "apps/nexmark/source.hpp"
#include "apps/nexmark/workload.hpp"
#include "apps/support/error.hpp"
#include "message.hpp"
#include "text_files.hpp"

namespace {

namespace nexmark = apps::nexmark;
using nexmark::kind;
using namespace std::chrono_literals;

constexpr std::chrono::milliseconds begin(1'436'918'400'000);

std::vector<nexmark::event> events_of(const nexmark::generator& house) {
  std::vector<nexmark::event> all;
  for (std::uint64_t number = 0; number < house.of().events; ++number) all.push_back(house.event_at(number));
  return all;
}

const std::vector<nexmark::event>& hundred_thousand() {
  static const nexmark::generator house({100'000, 7, 10'000, 1, {}});  // whose channels bids refer to
  static const auto all = events_of(house);
  return all;
}

double share(std::uint64_t some, std::uint64_t all) {
  return static_cast<double>(some) / static_cast<double>(all);
}

TEST(NexmarkGenerator, OfFiftyEventsOneIsAPersonThreeAreAuctions) {
  std::map<kind, int> times;
  for (const auto& one : hundred_thousand()) ++times[one.what];
  EXPECT_EQ(times[kind::person], 2'000);
  EXPECT_EQ(times[kind::auction], 6'000);
  EXPECT_EQ(times[kind::bid], 92'000);
}

TEST(NexmarkGenerator, TimesGoOnWithTheNumber) {
  for (std::uint64_t number = 0; const auto& one : hundred_thousand()) {
    ASSERT_EQ(one.number, number);
    ASSERT_EQ(one.time, begin + std::chrono::milliseconds(number / 10));
    ++number;
  }
}

TEST(NexmarkGenerator, IdsGoOnWithTheEvents) {
  std::uint64_t person = 1'000;
  std::uint64_t auction = 1'000;
  for (const auto& one : hundred_thousand()) {
    if (one.person) {
      EXPECT_EQ(one.person->id, person++);
    } else if (one.auction) {
      EXPECT_EQ(one.auction->id, auction++);
    }
  }
}

TEST(NexmarkGenerator, WhoTakesPartHasJustComeOrSoonWill) {
  std::uint64_t persons = 0;
  std::uint64_t auctions = 0;
  const auto is_active = [&](std::uint64_t id) {
    return id >= 1'000 && id + 1'000 >= 1'000 + persons && id < 1'000 + persons + 10;
  };
  for (const auto& one : hundred_thousand()) {
    if (one.what == kind::person) ++persons;
    if (one.what == kind::auction) {
      ++auctions;
      ASSERT_TRUE(is_active(one.auction->seller)) << one.number;
    }
    if (one.what != kind::bid) continue;
    ASSERT_TRUE(is_active(one.bid.bidder)) << one.number;
    // The hot auction is one of the newest hundred, too.
    ASSERT_GE(one.bid.auction + 101, 1'000 + auctions) << one.number;
    ASSERT_LT(one.bid.auction, 1'000 + auctions + 10) << one.number;
  }
}

TEST(NexmarkGenerator, HotOnesComeAsOftenAsTheyShould) {
  std::uint64_t persons = 0;
  std::uint64_t auctions = 0;
  std::uint64_t hot_sellers = 0;
  std::uint64_t hot_bidders = 0;
  std::uint64_t hot_auctions = 0;
  std::uint64_t hot_channels = 0;
  const auto hundreds = [](std::uint64_t count) { return 1'000 + (count - 1) / 100 * 100; };
  for (const auto& one : hundred_thousand()) {
    if (one.what == kind::person) ++persons;
    if (one.what == kind::auction) {
      ++auctions;
      if (one.auction->seller == hundreds(persons)) ++hot_sellers;
    }
    if (one.what != kind::bid) continue;
    if (one.bid.bidder == hundreds(persons) + 1) ++hot_bidders;
    if (one.bid.auction == hundreds(auctions)) ++hot_auctions;
    if (!one.bid.by->name.starts_with("channel-")) ++hot_channels;
  }
  EXPECT_NEAR(share(hot_sellers, auctions), 0.75, 0.02);
  EXPECT_NEAR(share(hot_bidders, 92'000), 0.75, 0.01);
  EXPECT_NEAR(share(hot_auctions, 92'000), 0.5, 0.02);  // and now and then one of the others
  EXPECT_NEAR(share(hot_channels, 92'000), 0.5, 0.01);
}

TEST(NexmarkGenerator, EventsHaveTheirSizes) {
  std::map<kind, std::size_t> bytes;
  for (const auto& one : hundred_thousand()) {
    auto& all = bytes[one.what];
    if (one.what == kind::person) {
      const auto& p = *one.person;
      all += 8 + p.name.size() + p.email.size() + p.credit_card.size() + p.city.size() + p.state.size() +
             p.extra.size();
    } else if (one.what == kind::auction) {
      const auto& a = *one.auction;
      all += 48 + a.item.size() + a.description.size() + a.extra.size();
    } else {
      all += 32 + one.bid.extra.size();
    }
  }
  EXPECT_NEAR(share(bytes[kind::person], 2'000), 200, 2);
  EXPECT_NEAR(share(bytes[kind::auction], 6'000), 500, 4);
  EXPECT_NEAR(share(bytes[kind::bid], 92'000), 100, 1);
}

TEST(NexmarkGenerator, PricesAreAlikeInAllDecades) {
  std::map<int, std::uint64_t> decades;
  for (const auto& one : hundred_thousand()) {
    if (one.what != kind::bid) continue;
    ASSERT_GE(one.bid.price, 100U);
    ASSERT_LE(one.bid.price, 100'000'000U);
    ++decades[static_cast<int>(std::log10(static_cast<double>(one.bid.price) + 0.5))];
  }
  for (int decade = 2; decade < 8; ++decade)
    EXPECT_NEAR(share(decades[decade], 92'000), 1 / 6.0, 0.01) << decade;
}

TEST(NexmarkGenerator, PricesAreThoseOfPowers) {
  const nexmark::prices price;
  apps::random dice(1);
  std::vector<double> logarithms;
  for (int i = 0; i < 100'000; ++i) logarithms.push_back(std::log10(static_cast<double>(price(dice)) / 100));
  std::ranges::sort(logarithms);
  for (const double x : {0.1, 0.25, 0.5, 0.75, 0.9})
    EXPECT_NEAR(logarithms[static_cast<std::size_t>(x * 100'000)], 6 * x, 0.05);
}

TEST(NexmarkGenerator, AuctionsAreOpenUntilAHundredMoreHaveCome) {
  const nexmark::generator house({100'000, 7, 10'000, 1, {}});
  std::chrono::milliseconds sum{0};
  for (const auto& one : hundred_thousand()) {
    if (one.what != kind::auction) continue;
    const auto open = one.auction->expires - one.time;
    ASSERT_GE(open, 1ms);
    ASSERT_LE(open, house.longest_auction());
    ASSERT_GE(one.auction->reserve, one.auction->initial_bid + 100);
    ASSERT_GE(one.auction->category, 10U);
    ASSERT_LE(one.auction->category, 14U);
    sum += open;
  }
  EXPECT_NEAR(share(static_cast<std::uint64_t>(sum.count()), 6'000), 166.6, 4);
}

bool same(const nexmark::event& one, const nexmark::event& other) {
  if (one.what != other.what || one.time != other.time) return false;
  if (one.what == kind::person) return one.person->extra == other.person->extra;
  if (one.what == kind::auction) return one.auction->extra == other.auction->extra;
  return one.bid.price == other.bid.price && one.bid.extra == other.bid.extra &&
         one.bid.by->url == other.bid.by->url;
}

TEST(NexmarkGenerator, AnEventDependsOnSeedAndNumberAlone) {
  const nexmark::workload of{1'000, 3, 1'000, 1, {}};
  const nexmark::generator house(of);
  const nexmark::generator again(of);
  const auto all = events_of(house);
  const nexmark::generator other({1'000, 4, 1'000, 1, {}});
  int alike = 0;
  for (std::uint64_t number = of.events; number-- > 0;) {
    EXPECT_TRUE(same(all[number], again.event_at(number))) << number;
    alike += same(all[number], other.event_at(number)) ? 1 : 0;
  }
  EXPECT_EQ(alike, 0);
}

// The same everywhere: what is verified is made anew where it is verified.
TEST(NexmarkGenerator, EventsAreTheSameEverywhere) {
  const nexmark::generator house({1'000, 1, 1'000, 1, {}});
  const auto person = house.event_at(50);
  EXPECT_EQ(person.person->name + "," + person.person->email + "," + person.person->city,
            "Walter Smith,tsom@jxv.com,Kent");
  const auto auction = house.event_at(51);
  EXPECT_EQ(auction.auction->item, "lfextazrmdpcgufg");
  EXPECT_EQ(auction.auction->reserve, 3'507U);
  const auto bid = house.event_at(999);
  EXPECT_EQ(bid.bid.auction, 1'061U);
  EXPECT_EQ(bid.bid.bidder, 1'001U);
  EXPECT_EQ(bid.bid.price, 4'237U);
  EXPECT_EQ(bid.bid.by->url, "https://www.nexmark.com/zsk/iynp/qxd/item.htm?query=1");
}

TEST(NexmarkGenerator, GroupsAreMixedAndNothingIsLost) {
  const nexmark::generator in_order_house({2'500, 7, 1'000, 1, {}});
  const nexmark::generator mixed_house({2'500, 7, 1'000, 1'000, {}});
  const auto in_order = events_of(in_order_house);
  const auto mixed = events_of(mixed_house);
  std::set<std::chrono::milliseconds> times;
  std::chrono::milliseconds latest{0};
  int behind = 0;
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    ASSERT_EQ(mixed[i].number, i);
    times.insert(mixed[i].time);
    behind += mixed[i].time < latest ? 1 : 0;
    latest = std::max(latest, mixed[i].time);
    ASSERT_EQ(mixed[i].time.count() / 1'000, in_order[i].time.count() / 1'000);  // of the same group
    ASSERT_TRUE(i < 2'000 || same(mixed[i], in_order[i]));                       // which is no whole group
  }
  EXPECT_EQ(times.size(), 2'500U);
  EXPECT_GT(behind, 1'500);
}

TEST(NexmarkGenerator, ManyEventsMayHaveOneTime) {
  const auto all = events_of(nexmark::generator({30'000, 1, 10'000'000, 1, {}}));
  EXPECT_EQ(all.front().time, begin);
  EXPECT_EQ(all.back().time, begin + 2ms);
}

TEST(NexmarkSource, EventsInMemoryAreMade) {
  const auto house = std::make_shared<const nexmark::generator>(nexmark::workload{60, 1, 1'000, 1, {}});
  nexmark::source numbers(house, apps::input_held::on_disk);
  nexmark::source held(house, apps::input_held::in_memory);
  for (std::uint64_t number = 0; number < 60; ++number) {
    auto one = numbers();
    const auto other = held();
    ASSERT_TRUE(one && other);
    EXPECT_EQ(one->what, kind::none);
    house->make(*one);
    EXPECT_EQ(one->number, number);
    EXPECT_EQ(other->number, number);
    EXPECT_TRUE(same(*one, *other));
  }
  EXPECT_FALSE(numbers());
  EXPECT_FALSE(held());
}

class NexmarkWorkload : public testing::Test {
 protected:
  std::string error_of(const std::string& text) {
    write(file, text);
    return message_of([&] { nexmark::read_workload(file); });
  }
  ~NexmarkWorkload() override { std::filesystem::remove(file); }

  // ctest runs tests of one program beside each other.
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / (std::to_string(getpid()) + "nexmark_events.txt");
};

TEST_F(NexmarkWorkload, IsReadAsItWasWritten) {
  for (const auto& input : nexmark::inputs) {
    nexmark::write_workload(input.of, file);
    EXPECT_EQ(nexmark::read_workload(file), input.of) << input.name;
  }
}

TEST_F(NexmarkWorkload, WhatIsNoneIsNamed) {
  const std::string good = "events 10\nseed 1\nrate 10\ndisorder_ms 0\n";
  EXPECT_THAT(error_of(good), testing::HasSubstr("group"));
  EXPECT_THAT(error_of(good + "group 0\n"), testing::HasSubstr("nexmark_events.txt"));
  EXPECT_THAT(error_of(good + "group 953\n"), testing::HasSubstr("953"));
  EXPECT_THAT(error_of(good + "group 1\nmore 1\n"), testing::HasSubstr("more"));
  EXPECT_THAT(error_of("events 1000000000000\nseed 1\nrate 1\ndisorder_ms 0\ngroup 1\n"),
              testing::HasSubstr("100 years"));
}

TEST(NexmarkComparison, FindsWhatIsMissingAndWhatIsTooMuch) {
  const auto says = [](const std::string& found) {
    const auto verdict = nexmark::compare("a\nb\nb\n", found);
    return (verdict.good ? "good: " : "bad: ") + verdict.says;
  };
  EXPECT_EQ(says("b\na\nb\n"), "good: 3 lines, those of another program");
  EXPECT_EQ(says("b\na\n"), "bad: the line 'b' is missing");
  EXPECT_EQ(says("b\nb\n"), "bad: the line 'a' is missing");
  EXPECT_EQ(says("b\na\nb\nb\n"), "bad: the line 'b' should not be there, or comes too often");
  EXPECT_EQ(says("b\na\nb\nab\n"), "bad: the line 'ab' should not be there, or comes too often");
  EXPECT_EQ(says("b\na\nb"), "bad: the last line is cut off");
  EXPECT_EQ(says(""), "bad: the line 'a' is missing");
}

}  // namespace
