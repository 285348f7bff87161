#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace apps {  // C++14, as programs may be
namespace nexmark {

struct person {
  std::uint64_t id = 0;
  std::string name, email, credit_card, city, state;
  std::string extra;  ///< makes it as large as persons are on average
};

/// Prices are in cents.
struct auction {
  std::uint64_t id = 0;
  std::uint64_t seller = 0;
  std::uint64_t category = 0;
  std::uint64_t initial_bid = 0;
  std::uint64_t reserve = 0;
  std::chrono::milliseconds expires{0};
  std::string item, description;
  std::string extra;
};

/// How a bidder came to the site.
struct channel {
  std::string name, url;
};

struct bid {
  std::uint64_t auction = 0;
  std::uint64_t bidder = 0;
  std::uint64_t price = 0;
  const channel* by = nullptr;  ///< the generator's
  std::string extra;
};

/// What has happened; `none` before the event has been made.
enum class kind : std::uint8_t { none, person, auction, bid };

/// An event: its bid, its person or its auction is there. Bids, 46 of 50 events, lie in here themselves;
/// copies share persons and auctions.
struct event {
  std::uint64_t number = 0;  ///< its place in the stream, from 0
  std::chrono::milliseconds time{0};
  kind what = kind::none;
  nexmark::bid bid;
  std::shared_ptr<const nexmark::person> person;
  std::shared_ptr<const nexmark::auction> auction;
};

}  // namespace nexmark
}  // namespace apps
