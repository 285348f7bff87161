#include "apps/nexmark/generator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string_view>

namespace apps::nexmark {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds first_time(1'436'918'400'000);  // 2015-07-15 00:00 UTC

// Who takes part at a time, and how much more often some of them do: of each hundred one is hot.
constexpr std::uint64_t active_persons = 1'000;
constexpr std::uint64_t open_auctions = 100;
constexpr std::uint64_t yet_to_come = 10;
constexpr std::uint64_t hot_of = 100;
constexpr std::uint64_t auctions_not_of_hot_seller = 4;  // 1 in so many
constexpr std::uint64_t bids_not_for_hot_auction = 2;
constexpr std::uint64_t bids_not_by_hot_bidder = 4;
constexpr std::uint64_t bids_not_by_hot_channel = 2;
constexpr std::size_t hot_channels = 4;
constexpr std::size_t channels = 10'000;

constexpr std::size_t person_bytes = 200;
constexpr std::size_t auction_bytes = 500;
constexpr std::size_t bid_bytes = 100;
constexpr std::size_t number_bytes = 8;
constexpr std::size_t shortest_text = 3;
constexpr std::size_t letters_there_are = std::size_t{1} << 16;

constexpr std::array<std::string_view, 11> first_names = {
    "Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah", "Deiter", "Walter"};
constexpr std::array<std::string_view, 9> last_names = {"Shultz", "Abrams", "Spencer", "White", "Bartels",
                                                        "Walton", "Smith",  "Jones",   "Noris"};
constexpr std::array<std::string_view, 6> states = {"AZ", "CA", "ID", "OR", "WA", "WY"};
constexpr std::array<std::string_view, 10> cities = {"Phoenix",  "Los Angeles", "San Francisco", "Boise",
                                                     "Portland", "Bend",        "Redmond",       "Seattle",
                                                     "Kent",     "Cheyenne"};

template <std::size_t N> std::string_view one_of(random& dice, const std::array<std::string_view, N>& all) {
  return all[dice.below(N)];
}

bool not_hot(random& dice, std::uint64_t one_in) {
  return dice.below(one_in) == 0;
}

// The newest person and auction when the event of this id happens, counted from 0; the event's own included.
std::uint64_t newest_person(std::uint64_t id) {
  return id / round_size;
}
std::uint64_t newest_auction(std::uint64_t id) {
  const auto before = id / round_size * auctions_in_round;
  return before + std::min(id % round_size, auctions_in_round) - 1;
}

std::uint64_t any_person(random& dice, std::uint64_t id) {
  const auto there_are = newest_person(id) + 1;
  const auto active = std::min(there_are, active_persons);
  return there_are - active + dice.below(active + yet_to_come);
}
std::uint64_t any_auction(random& dice, std::uint64_t id) {
  const auto newest = newest_auction(id);
  const auto oldest = newest - std::min(newest, open_auctions);
  return oldest + dice.below(newest - oldest + 1 + yet_to_come);
}

}  // namespace

prices::prices() : coarse_(steps, 1), fine_(steps, 1) {
  double root = 10;
  const auto fill = [&root](std::vector<double>& powers) {
    for (std::size_t bit = steps / 2; bit > 0; bit /= 2) {
      root = std::sqrt(root);
      for (std::size_t i = 0; i < steps; ++i)
        if ((i & bit) != 0) powers[i] *= root;
    }
  };
  fill(coarse_);
  fill(fine_);
}

std::uint64_t prices::operator()(random& dice) const {
  constexpr std::array<double, 6> decades = {1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
  const auto decade = dice.below(decades.size());
  const auto step = dice.below(steps * steps);
  return static_cast<std::uint64_t>(
      std::llround(decades[decade] * coarse_[step / steps] * fine_[step % steps]));
}

generator::generator(const workload& of) : of_(of) {
  random dice(of.seed);
  letters_.resize(letters_there_are);
  for (auto& letter : letters_) letter = static_cast<char>('a' + dice.below(26));

  const auto url = [&] {
    std::string made = "https://www.nexmark.com/";
    for (int i = 0; i < 3; ++i) made.append(text(dice, 5)).append("/");
    return made.append("item.htm?query=1");
  };
  for (const std::string_view hot : {"Google", "Facebook", "Baidu", "Apple"})
    channels_.push_back({std::string(hot), url()});
  for (std::size_t i = 0; i < channels; ++i) {
    channels_.push_back({"channel-" + std::to_string(i), url()});
    if (!not_hot(dice, 10))
      channels_.back().url.append("&channel_id=").append(std::to_string(dice.below(1U << 31)));
  }
}

void generator::make(event& of) const {
  // Of a group each comes once, as 953 is a prime; the rest behind the last whole group is in order.
  const auto group = of.number - of.number % of_.group;
  const auto id =
      group + of_.group > of_.events ? of.number : group + of.number % of_.group * 953 % of_.group;
  random dice(of_.seed * 0xD1B54A32D192ED03 + id);
  of.time = time_of(id);
  if (const auto place = id % round_size; place == 0) {
    of.what = kind::person;
    of.person = std::make_shared<person>(make_person(dice, id));
  } else if (place <= auctions_in_round) {
    of.what = kind::auction;
    of.auction = std::make_shared<auction>(make_auction(dice, id));
  } else {
    of.what = kind::bid;
    make_bid(dice, id, of.bid);
  }
}

milliseconds generator::longest_auction() const {
  const auto events = open_auctions * round_size / auctions_in_round;
  return milliseconds(2 * (events * 1'000 / of_.rate + 1));
}

milliseconds generator::time_of(std::uint64_t id) const {
  return first_time + milliseconds(id / of_.rate * 1'000 + id % of_.rate * 1'000 / of_.rate);
}

std::string generator::letters(random& dice, std::size_t size) const {
  return letters_.substr(dice.below(letters_.size() - size), size);
}

std::string generator::text(random& dice, std::size_t longest) const {
  const auto size = shortest_text + dice.below(longest - shortest_text);
  return letters(dice, size);
}

std::string generator::extra(random& dice, std::size_t has, std::size_t average) const {
  if (has >= average) return {};
  const auto missing = average - has;
  const auto spread = missing / 5;
  return letters(dice, missing - spread + dice.below(2 * spread + 1));
}

person generator::make_person(random& dice, std::uint64_t id) const {
  person made;
  made.id = first_person + newest_person(id);
  made.name = one_of(dice, first_names);
  made.name.append(" ").append(one_of(dice, last_names));
  made.email = text(dice, 7);
  made.email.append("@").append(text(dice, 5)).append(".com");
  for (int i = 0; i < 16; ++i) {
    if (i > 0 && i % 4 == 0) made.credit_card += ' ';
    made.credit_card += static_cast<char>('0' + dice.below(10));
  }
  made.city = one_of(dice, cities);
  made.state = one_of(dice, states);
  made.extra = extra(dice,
                     number_bytes + made.name.size() + made.email.size() + made.credit_card.size() +
                         made.city.size() + made.state.size(),
                     person_bytes);
  return made;
}

auction generator::make_auction(random& dice, std::uint64_t id) const {
  auction made;
  made.id = first_auction + newest_auction(id);
  made.seller =
      first_person + (not_hot(dice, auctions_not_of_hot_seller) ? any_person(dice, id)
                                                                : newest_person(id) / hot_of * hot_of);
  made.category = first_category + dice.below(categories);
  made.initial_bid = price_(dice);
  made.reserve = made.initial_bid + price_(dice);
  // When as many auctions as are open will have come after it: so long it is open on average.
  const auto time = time_of(id);
  const auto horizon = time_of(id + open_auctions * round_size / auctions_in_round) - time;
  const auto longest = std::max<std::uint64_t>(2 * static_cast<std::uint64_t>(horizon.count()), 1);
  made.expires = time + milliseconds(1 + dice.below(longest));
  made.item = text(dice, 20);
  made.description = text(dice, 100);
  made.extra = extra(dice, 6 * number_bytes + made.item.size() + made.description.size(), auction_bytes);
  return made;
}

void generator::make_bid(random& dice, std::uint64_t id, bid& made) const {
  made.auction =
      first_auction + (not_hot(dice, bids_not_for_hot_auction) ? any_auction(dice, id)
                                                               : newest_auction(id) / hot_of * hot_of);
  made.bidder =
      first_person + (not_hot(dice, bids_not_by_hot_bidder) ? any_person(dice, id)
                                                            : newest_person(id) / hot_of * hot_of + 1);
  made.price = price_(dice);
  made.by = &channels_[not_hot(dice, bids_not_by_hot_channel) ? hot_channels + dice.below(channels)
                                                              : dice.below(hot_channels)];
  made.extra = extra(dice, 4 * number_bytes, bid_bytes);
}

}  // namespace apps::nexmark
