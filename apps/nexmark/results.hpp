#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace apps {  // C++14, as programs may be
namespace nexmark {

using std::chrono::milliseconds;

/// q3: an auction, and who sells there.
struct local_item {
  std::string name, city, state;
  std::uint64_t auction = 0;
};

/// q4: what the auctions of a category that closed in a window went for.
struct category_price {
  milliseconds begin{0};
  std::uint64_t category = 0;
  std::uint64_t mean = 0;
};

/// q5: an auction that has had the most bids of a window.
struct hot_item {
  milliseconds begin{0};
  std::uint64_t auction = 0;
  std::uint64_t bids = 0;
};

/// q6: what the last auctions of a seller went for when this one closed.
struct seller_price {
  std::uint64_t seller = 0;
  std::uint64_t auction = 0;
  std::uint64_t mean = 0;
};

/// q7: the highest bid of a window.
struct highest_bid {
  milliseconds begin{0};
  std::uint64_t auction = 0;
  std::uint64_t bidder = 0;
  std::uint64_t price = 0;
  milliseconds time{0};
};

/// q8: who registered in a window and opened an auction in it.
struct new_seller {
  std::uint64_t person = 0;
  std::string name;
  milliseconds begin{0};
};

/// q11: a time in which a bidder was active.
struct user_session {
  std::uint64_t bidder = 0;
  std::uint64_t bids = 0;
  milliseconds begin{0}, end{0};
};

/// A result as the line of a file, with its end. The fields are in their order, with commas between them.
std::string line_of(const local_item& of);
std::string line_of(const category_price& of);
std::string line_of(const hot_item& of);
std::string line_of(const seller_price& of);
std::string line_of(const highest_bid& of);
std::string line_of(const new_seller& of);
std::string line_of(const user_session& of);

}  // namespace nexmark
}  // namespace apps
