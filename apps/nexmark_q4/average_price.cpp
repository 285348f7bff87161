#include "apps/nexmark_q4/average_price.hpp"

#include "apps/nexmark/results.hpp"
#include "apps/nexmark/watermark.hpp"

namespace apps::nexmark_q4 {
namespace {

constexpr std::chrono::milliseconds size = std::chrono::seconds(10);
constexpr std::chrono::milliseconds slide = std::chrono::seconds(5);

}  // namespace

void average_price::take(const nexmark::event& of, std::vector<std::string>& results) {
  winning_.take(of, [&](const nexmark::closed_auction& one) { add(one, results); });
}

void average_price::end(std::vector<std::string>& results) {
  winning_.end([&](const nexmark::closed_auction& one) { add(one, results); });
  give_until(std::chrono::milliseconds::max(), results);
}

// They come in the order of their ends.
void average_price::add(const nexmark::closed_auction& one, std::vector<std::string>& results) {
  give_until(one.expires, results);
  for (auto begin = nexmark::on_grid(one.expires, slide); begin + size > one.expires; begin -= slide) {
    auto& of = windows_[begin][one.category];
    of.sum += one.price;
    ++of.count;
  }
}

void average_price::give_until(std::chrono::milliseconds reached, std::vector<std::string>& results) {
  while (!windows_.empty() && windows_.begin()->first <= reached - size) {
    const auto& [begin, categories] = *windows_.begin();
    for (const auto& [category, of] : categories)
      results.push_back(line_of(nexmark::category_price{begin, category, of.sum / of.count}));
    windows_.erase(windows_.begin());
  }
}

}  // namespace apps::nexmark_q4
