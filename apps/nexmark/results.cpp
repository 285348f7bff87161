#include "apps/nexmark/results.hpp"

#include <string_view>

namespace apps::nexmark {
namespace {

void append(std::string& line, std::string_view text) {
  line.append(text);
}
void append(std::string& line, std::uint64_t number) {
  line.append(std::to_string(number));
}
void append(std::string& line, milliseconds time) {
  line.append(std::to_string(time.count()));
}

template <class First, class... Others> std::string line(const First& first, const Others&... others) {
  std::string made;
  append(made, first);
  ((made += ',', append(made, others)), ...);
  return made += '\n';
}

}  // namespace

std::string line_of(const local_item& of) {
  return line(of.name, of.city, of.state, of.auction);
}
std::string line_of(const category_price& of) {
  return line(of.begin, of.category, of.mean);
}
std::string line_of(const hot_item& of) {
  return line(of.begin, of.auction, of.bids);
}
std::string line_of(const seller_price& of) {
  return line(of.seller, of.auction, of.mean);
}
std::string line_of(const highest_bid& of) {
  return line(of.begin, of.auction, of.bidder, of.price, of.time);
}
std::string line_of(const new_seller& of) {
  return line(of.person, of.name, of.begin);
}
std::string line_of(const user_session& of) {
  return line(of.bidder, of.bids, of.begin, of.end);
}

}  // namespace apps::nexmark
