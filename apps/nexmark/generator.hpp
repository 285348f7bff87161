/// The events of an auction house, as the generator of Beam and Flink describes them: see docs/nexmark.md.
///
/// ```cpp
/// namespace nexmark = apps::nexmark;
/// const nexmark::generator house({.events = 1'000, .seed = 1, .rate = 100});
/// const auto first = house.event_at(0);
/// assert(first.what == nexmark::kind::person && first.person->id == 1000);
/// ```
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/nexmark/event.hpp"
#include "apps/nexmark/workload.hpp"
#include "apps/support/random.hpp"

namespace apps::nexmark {

/// Of so many events in a row the first is a person, the next ones are auctions, the others bids.
inline constexpr std::uint64_t round_size = 50;
inline constexpr std::uint64_t auctions_in_round = 3;

inline constexpr std::uint64_t first_person = 1'000;
inline constexpr std::uint64_t first_auction = 1'000;
inline constexpr std::uint64_t first_category = 10;
inline constexpr std::uint64_t categories = 5;

/// Whether the order of so many events can be mixed.
constexpr bool can_be_mixed(std::uint64_t group) {
  return group == 1 || group % 953 != 0;
}

/// The prices that there are: 100 * 10^x cents for x from 0 to 6. They come from products of roots, which
/// are the same on every machine, as powers are not.
class prices {
 public:
  prices();
  /// One for which all x are alike.
  std::uint64_t operator()(random& dice) const;

 private:
  static constexpr std::size_t steps = 4'096;
  std::vector<double> coarse_, fine_;  // 10^(i / steps), 10^(i / steps^2)
};

/// Makes the events of a workload, each by itself: any number of threads may ask for any of them.
class generator {
 public:
  explicit generator(const workload& of);

  [[nodiscard]] const workload& of() const { return of_; }
  /// The event that comes at this place.
  [[nodiscard]] event event_at(std::uint64_t number) const {
    event made;
    made.number = number;
    make(made);
    return made;
  }
  /// The rest of an event that has a number, which alone may be known of it.
  void make(event& of) const;

  /// No auction is open for longer.
  [[nodiscard]] std::chrono::milliseconds longest_auction() const;

 private:
  [[nodiscard]] std::chrono::milliseconds time_of(std::uint64_t id) const;
  [[nodiscard]] std::string text(random& dice, std::size_t longest) const;
  [[nodiscard]] std::string letters(random& dice, std::size_t size) const;
  [[nodiscard]] std::string extra(random& dice, std::size_t has, std::size_t average) const;
  [[nodiscard]] person make_person(random& dice, std::uint64_t id) const;
  [[nodiscard]] auction make_auction(random& dice, std::uint64_t id) const;
  void make_bid(random& dice, std::uint64_t id, bid& made) const;

  workload of_;
  prices price_;
  std::string letters_;  // which texts are taken from
  std::vector<channel> channels_;
};

}  // namespace apps::nexmark
