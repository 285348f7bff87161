// The queries of Nexmark as plain code: against what is expected of them by other plain code, and on events
// by hand.
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/nexmark/application.hpp"
#include "apps/nexmark/generator.hpp"
#include "apps/nexmark/totals.hpp"
#include "apps/nexmark_q0/bids.hpp"
#include "apps/nexmark_q0/nexmark_q0.hpp"
#include "apps/nexmark_q1/convert.hpp"
#include "apps/nexmark_q1/nexmark_q1.hpp"
#include "apps/nexmark_q11/nexmark_q11.hpp"
#include "apps/nexmark_q11/user_sessions.hpp"
#include "apps/nexmark_q2/nexmark_q2.hpp"
#include "apps/nexmark_q2/select.hpp"
#include "apps/nexmark_q3/local_items.hpp"
#include "apps/nexmark_q3/nexmark_q3.hpp"
#include "apps/nexmark_q4/average_price.hpp"
#include "apps/nexmark_q4/nexmark_q4.hpp"
#include "apps/nexmark_q5/hot_items.hpp"
#include "apps/nexmark_q5/nexmark_q5.hpp"
#include "apps/nexmark_q6/nexmark_q6.hpp"
#include "apps/nexmark_q6/seller_average.hpp"
#include "apps/nexmark_q7/highest_bids.hpp"
#include "apps/nexmark_q7/nexmark_q7.hpp"
#include "apps/nexmark_q8/new_sellers.hpp"
#include "apps/nexmark_q8/nexmark_q8.hpp"

namespace {

namespace nexmark = apps::nexmark;
using namespace std::chrono_literals;
using std::chrono::milliseconds;
using lines = std::vector<std::string>;

using query_maker = std::function<std::unique_ptr<nexmark::query>(const nexmark::workload&)>;

template <class Query> query_maker maker() {
  return [](const nexmark::workload& of) { return std::make_unique<Query>(of); };
}

/// A query that gives bids, as one that gives lines.
class bids_query final : public nexmark::query {
 public:
  using keeps = bool (*)(nexmark::event&);
  explicit bids_query(keeps keep) : keep_(keep) {}
  void take(const nexmark::event& of, lines& /*results*/) override {
    auto copy = of;
    if (keep_(copy)) totals_.add(copy.time, copy.bid);
  }
  void end(lines& results) override { results.push_back(totals_.lines()); }

 private:
  keeps keep_;
  nexmark::totals totals_;
};
query_maker maker_of(bids_query::keeps keep) {
  return [keep](const nexmark::workload&) { return std::make_unique<bids_query>(keep); };
}

struct tested_query {
  std::string_view name;
  query_maker make;
  nexmark::expectation expected;
  bool knows_late = true;  ///< whether late events are left out

  friend std::ostream& operator<<(std::ostream& to, const tested_query& one) { return to << one.name; }
};

const std::vector<tested_query>& all_queries() {
  static const std::vector<tested_query> all = {
      {"q0", maker_of([](nexmark::event& of) { return apps::nexmark_q0::is_bid(of); }),
       apps::nexmark_q0::expected, false},
      {"q1", maker_of(apps::nexmark_q1::convert), apps::nexmark_q1::expected, false},
      {"q2", maker_of(apps::nexmark_q2::select), apps::nexmark_q2::expected, false},
      {"q3", maker<apps::nexmark_q3::local_items>(), apps::nexmark_q3::expected, false},
      {"q4", maker<apps::nexmark_q4::average_price>(), apps::nexmark_q4::expected},
      {"q5", maker<apps::nexmark_q5::hot_items>(), apps::nexmark_q5::expected},
      {"q6", maker<apps::nexmark_q6::seller_average>(), apps::nexmark_q6::expected},
      {"q7", maker<apps::nexmark_q7::highest_bids>(), apps::nexmark_q7::expected},
      {"q8", maker<apps::nexmark_q8::new_sellers>(), apps::nexmark_q8::expected},
      {"q11", maker<apps::nexmark_q11::user_sessions>(), apps::nexmark_q11::expected},
  };
  return all;
}

std::string results_of(const query_maker& make, const nexmark::generator& house) {
  const auto query = make(house.of());
  lines results;
  for (std::uint64_t number = 0; number < house.of().events; ++number)
    query->take(house.event_at(number), results);
  query->end(results);
  std::string text;
  for (const auto& line : results) text += line;
  return text;
}

class NexmarkQuery : public testing::TestWithParam<tested_query> {
 protected:
  /// A minute of events.
  static nexmark::generator house(std::uint64_t group, milliseconds disorder, std::uint64_t seed = 11) {
    return nexmark::generator({30'000, seed, 500, group, disorder});
  }
  /// What the query gives, compared with what it should.
  static void gives_what_is_expected(const nexmark::generator& of) {
    const auto results = results_of(GetParam().make, of);
    EXPECT_FALSE(results.empty());
    const auto verdict = nexmark::compare(GetParam().expected(of), results);
    EXPECT_TRUE(verdict.good) << verdict.says;
  }
  static bool are_alike(const nexmark::generator& one, const nexmark::generator& other) {
    return nexmark::compare(GetParam().expected(one), GetParam().expected(other)).good;
  }
};

TEST_P(NexmarkQuery, OfEventsInOrder) {
  gives_what_is_expected(house(1, 0ms));
}

TEST_P(NexmarkQuery, OfEventsOutOfOrderThatAreNotLate) {
  const auto mixed = house(3'000, 6s);  // which is as long as a group is
  gives_what_is_expected(mixed);
  EXPECT_TRUE(are_alike(house(1, 0ms), mixed));
}

TEST_P(NexmarkQuery, OfEventsThatAreLate) {
  bool same = true;  // the highest bids may all have come in time
  for (std::uint64_t seed = 11; seed < 15; ++seed) {
    const auto late = house(3'000, 100ms, seed);
    gives_what_is_expected(late);
    same = same && are_alike(house(1, 0ms, seed), late);
  }
  EXPECT_EQ(same, !GetParam().knows_late);
}

TEST_P(NexmarkQuery, OfManyEventsAtATime) {
  gives_what_is_expected(nexmark::generator({30'000, 12, 1'000'000, 1, {}}));
}

TEST_P(NexmarkQuery, OfFewEvents) {
  for (const std::uint64_t events : {1, 2, 4, 5, 6, 50, 51, 52, 99, 105}) {
    const nexmark::generator few({events, events, 1, 1, {}});
    const auto verdict = nexmark::compare(GetParam().expected(few), results_of(GetParam().make, few));
    EXPECT_TRUE(verdict.good) << events << ": " << verdict.says;
  }
}

INSTANTIATE_TEST_SUITE_P(All, NexmarkQuery, testing::ValuesIn(all_queries()),
                         [](const auto& of) { return std::string(of.param.name); });

// Events by hand. Times are in ms; they begin at a multiple of the windows.
constexpr std::int64_t zero = 1'000'000;

nexmark::event event_at(std::int64_t time, nexmark::kind what) {
  nexmark::event made;
  made.time = milliseconds(zero + time);
  made.what = what;
  return made;
}
nexmark::event bid(std::int64_t time, std::uint64_t auction, std::uint64_t price, std::uint64_t bidder = 1) {
  auto made = event_at(time, nexmark::kind::bid);
  made.bid.auction = auction;
  made.bid.bidder = bidder;
  made.bid.price = price;
  return made;
}
nexmark::event person(std::int64_t time, std::uint64_t id, const std::string& state = "OR") {
  auto made = event_at(time, nexmark::kind::person);
  auto who = std::make_shared<nexmark::person>();
  who->id = id;
  who->name = "P" + std::to_string(id);
  who->city = "C";
  who->state = state;
  made.person = std::move(who);
  return made;
}
nexmark::event auction(std::int64_t time, std::uint64_t id, std::uint64_t seller, std::int64_t expires,
                       std::uint64_t category = 10) {
  auto made = event_at(time, nexmark::kind::auction);
  auto its = std::make_shared<nexmark::auction>();
  its->id = id;
  its->seller = seller;
  its->category = category;
  its->expires = milliseconds(zero + expires);
  made.auction = std::move(its);
  return made;
}

/// The lines that a query gives for some events, those of its end behind a `|`.
template <class Query> lines given(const std::vector<nexmark::event>& events, milliseconds disorder = 0ms) {
  nexmark::workload of;
  of.disorder = disorder;
  Query query(of);
  lines results;
  for (const auto& one : events) query.take(one, results);
  results.emplace_back("|");
  query.end(results);
  for (auto& line : results)
    if (line.ends_with('\n')) line.pop_back();
  return results;
}

TEST(NexmarkQ0, GivesBids) {
  EXPECT_TRUE(apps::nexmark_q0::is_bid(bid(0, 1, 1)));
  EXPECT_FALSE(apps::nexmark_q0::is_bid(person(0, 1)));
}

TEST(NexmarkQ1, GivesThousandths) {
  auto one = bid(0, 1, 100);
  EXPECT_TRUE(apps::nexmark_q1::convert(one));
  EXPECT_EQ(one.bid.price, 90'800U);
  auto other = auction(0, 1, 1, 1);
  EXPECT_FALSE(apps::nexmark_q1::convert(other));
}

TEST(NexmarkQ2, GivesEvery123rdAuction) {
  auto one = bid(0, 1'230, 100, 7);
  one.bid.extra = "text";
  EXPECT_TRUE(apps::nexmark_q2::select(one));
  EXPECT_EQ(one.bid.price, 100U);
  EXPECT_EQ(one.bid.bidder, 0U);
  EXPECT_TRUE(one.bid.extra.empty());
  auto other = bid(0, 1'231, 100);
  EXPECT_FALSE(apps::nexmark_q2::select(other));
}

TEST(NexmarkQ3, WhicheverComesFirstWaits) {
  EXPECT_EQ(given<apps::nexmark_q3::local_items>(
                {auction(0, 1, 7, 1), auction(0, 2, 7, 1, 11), auction(0, 3, 8, 1), person(0, 7, "ID"),
                 person(0, 8, "AZ"), auction(0, 4, 7, 1), auction(0, 5, 8, 1), auction(0, 6, 9, 1)}),
            (lines{"P7,C,ID,1", "P7,C,ID,4", "|"}));
}

TEST(NexmarkQ4, MeansOfWhatClosesInAWindow) {
  EXPECT_EQ(given<apps::nexmark_q4::average_price>(
                {auction(0, 1, 7, 6'000), auction(0, 2, 7, 7'000), auction(0, 3, 7, 7'000, 11),
                 auction(0, 4, 7, 12'000), bid(1'000, 1, 100), bid(2'000, 1, 50), bid(3'000, 2, 201),
                 bid(6'001, 1, 900),  // too late for the auction
                 bid(11'000, 4, 1'000), bid(30'000, 9, 1), auction(30'000, 5, 7, 31'000)}),
            (lines{"1000000,10,150", "|", "1005000,10,433", "1010000,10,1000"}));
}

TEST(NexmarkQ5, TheMostOfEachWindow) {
  const auto found = given<apps::nexmark_q5::hot_items>(
      {bid(1'000, 1, 1), bid(1'500, 1, 1), bid(2'000, 2, 1), bid(3'000, 2, 1), bid(10'000, 3, 1)});
  EXPECT_THAT(found, testing::UnorderedElementsAre("992000,1,2", "994000,1,2", "994000,2,2", "996000,1,2",
                                                   "996000,2,2", "998000,1,2", "998000,2,2", "1000000,1,2",
                                                   "1000000,2,2", "|", "1002000,2,2", "1004000,3,1",
                                                   "1006000,3,1", "1008000,3,1", "1010000,3,1"));
}

TEST(NexmarkQ6, TheLastTenOfASeller) {
  std::vector<nexmark::event> events;
  for (std::uint64_t id = 1; id <= 12; ++id) {
    // Two close at a time: the one with the lower id first, whichever comes first.
    events.push_back(auction(0, id, 7, static_cast<std::int64_t>((id + 1) / 2) * 100));
    events.push_back(bid(0, 13 - id, 100 * (13 - id)));
  }
  const auto found = given<apps::nexmark_q6::seller_average>(events);
  EXPECT_EQ(found, (lines{"|", "7,1,100", "7,2,150", "7,3,200", "7,4,250", "7,5,300", "7,6,350", "7,7,400",
                          "7,8,450", "7,9,500", "7,10,550", "7,11,650", "7,12,750"}));
}

TEST(NexmarkQ6, AnAuctionThatComesLaterIsNotLate) {
  // The bids are ahead; the auctions come in the order of their ends all the same.
  EXPECT_EQ(given<apps::nexmark_q6::seller_average>({auction(0, 1, 7, 300), bid(100, 1, 100),
                                                     bid(120, 2, 300), bid(400, 3, 1), auction(90, 2, 7, 200),
                                                     auction(500, 3, 8, 600)}),
            (lines{"7,2,300", "7,1,200", "|"}));
}

TEST(NexmarkQ7, AllThatAreHighest) {
  EXPECT_EQ(given<apps::nexmark_q7::highest_bids>({bid(0, 1, 5), bid(1, 2, 9), bid(2, 3, 9, 4), bid(3, 4, 8),
                                                   bid(10'000, 5, 1), bid(9'999, 6, 99)}),
            (lines{"1000000,2,1,9,1000001", "1000000,3,4,9,1000002", "|", "1010000,5,1,1,1010000"}));
}

TEST(NexmarkQ8, WhoRegistersAndSellsInOneWindow) {
  EXPECT_EQ(given<apps::nexmark_q8::new_sellers>({auction(0, 1, 7, 1), person(1, 7), auction(2, 2, 7, 9),
                                                  person(3, 8), auction(10'000, 3, 8, 10'001)}),
            (lines{"7,P7,1000000", "|"}));
}

TEST(NexmarkQ11, ASessionEndsWhenNothingComes) {
  EXPECT_EQ(given<apps::nexmark_q11::user_sessions>(
                {bid(0, 1, 1), bid(9'999, 2, 1), bid(15'000, 1, 1, 2), bid(19'999, 3, 1), bid(40'000, 1, 1)}),
            (lines{"1,2,1000000,1019999", "2,1,1015000,1025000", "1,1,1019999,1029999", "|",
                   "1,1,1040000,1050000"}));
}

TEST(NexmarkQ11, ABidBetweenTwoSessionsMakesThemOne) {
  EXPECT_EQ(given<apps::nexmark_q11::user_sessions>({bid(0, 1, 1), bid(12'000, 1, 1), bid(6'000, 1, 1)}, 10s),
            (lines{"|", "1,3,1000000,1022000"}));
}

TEST(NexmarkQ11, WhatIsOverIsLeftAlone) {
  EXPECT_EQ(given<apps::nexmark_q11::user_sessions>({bid(0, 1, 1), bid(10'000, 1, 1, 2), bid(5'000, 1, 1),
                                                     bid(30'000, 1, 1, 2), bid(19'000, 1, 1)}),
            (lines{"1,1,1000000,1010000", "1,1,1005000,1015000", "2,1,1010000,1020000", "|",
                   "2,1,1030000,1040000"}));
}

}  // namespace
