#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>

#include "apps/nexmark/results.hpp"
#include "apps/nexmark_q5/nexmark_q5.hpp"

namespace apps::nexmark_q5 {
namespace {

using counts = std::map<std::uint64_t, std::uint64_t>;  // of auctions

void append_most(std::string& lines, std::int64_t begin_ms, const counts& of) {
  const auto most = std::ranges::max_element(of, {}, &counts::value_type::second)->second;
  for (const auto& [auction, bids] : of)
    if (bids == most)
      lines.append(line_of(nexmark::hot_item{std::chrono::milliseconds(begin_ms), auction, bids}));
}

}  // namespace

// Each bid is counted in each of its windows.
std::string expected(const nexmark::generator& house) {
  std::string lines;
  std::map<std::int64_t, counts> windows;
  std::int64_t reached = 0;
  for (std::uint64_t number = 0; number < house.of().events; ++number) {
    const auto one = house.event_at(number);
    if (one.what != nexmark::kind::bid) continue;
    const auto time = one.time.count();
    reached = std::max(reached, time - house.of().disorder.count());
    for (; !windows.empty() && windows.begin()->first + 10'000 <= reached; windows.erase(windows.begin()))
      append_most(lines, windows.begin()->first, windows.begin()->second);
    for (auto begin = time - time % 2'000 - 8'000; begin <= time; begin += 2'000)
      if (begin + 10'000 > reached) ++windows[begin][one.bid.auction];
  }
  for (const auto& [begin, of] : windows) append_most(lines, begin, of);
  return lines;
}

}  // namespace apps::nexmark_q5
