#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "apps/nexmark/results.hpp"
#include "apps/nexmark_q8/nexmark_q8.hpp"

namespace apps::nexmark_q8 {

// What is late is left out first; then each person is looked for among the sellers of the window.
std::string expected(const nexmark::generator& house) {
  std::vector<nexmark::new_seller> persons;
  std::set<std::pair<std::uint64_t, std::int64_t>> sales;  // sellers and windows
  std::int64_t latest = 0;
  for (std::uint64_t number = 0; number < house.of().events; ++number) {
    const auto one = house.event_at(number);
    if (!one.person && !one.auction) continue;
    latest = std::max(latest, one.time.count());
    const auto window = one.time.count() / 10'000;
    if ((window + 1) * 10'000 + house.of().disorder.count() <= latest) continue;
    if (one.person)
      persons.push_back({one.person->id, one.person->name, std::chrono::milliseconds(window * 10'000)});
    if (one.auction) sales.emplace(one.auction->seller, window);
  }
  std::string lines;
  for (const auto& one : persons)
    if (sales.contains({one.person, one.begin.count() / 10'000})) lines.append(line_of(one));
  return lines;
}

}  // namespace apps::nexmark_q8
