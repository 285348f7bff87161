#include "apps/nexmark_q3/local_items.hpp"

#include <utility>

#include "apps/nexmark/results.hpp"

namespace apps::nexmark_q3 {

void local_items::take(const nexmark::event& of, std::vector<std::string>& results) {
  const auto give = [&](const nexmark::person& who, std::uint64_t auction) {
    if (is_local(who.state))
      results.push_back(line_of(nexmark::local_item{who.name, who.city, who.state, auction}));
  };
  if (of.what == nexmark::kind::person) {
    auto& its = sellers_[of.person->id];
    its.who = of.person;
    for (const auto auction : std::exchange(its.waiting, {})) give(*of.person, auction);
  } else if (of.what == nexmark::kind::auction && of.auction->category == category) {
    auto& its = sellers_[of.auction->seller];
    if (its.who) {
      give(*its.who, of.auction->id);
    } else {
      its.waiting.push_back(of.auction->id);
    }
  }
}

}  // namespace apps::nexmark_q3
