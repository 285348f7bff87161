#include "apps/nexmark_q8/new_sellers.hpp"

#include "apps/nexmark/results.hpp"

namespace apps::nexmark_q8 {
namespace {

auto giving(std::vector<std::string>& results) {
  return [&results](std::chrono::milliseconds begin, const auto& window) {
    for (const auto& [person, name] : window.names)
      if (window.sellers.contains(person))
        results.push_back(line_of(nexmark::new_seller{person, name, begin}));
  };
}

}  // namespace

void new_sellers::take(const nexmark::event& of, std::vector<std::string>& results) {
  if (of.what != nexmark::kind::person && of.what != nexmark::kind::auction) return;
  auto* const open = windows_.at(of.time, giving(results));
  if (open == nullptr) return;
  if (of.what == nexmark::kind::person) {
    open->names.emplace(of.person->id, of.person->name);
  } else {
    open->sellers.insert(of.auction->seller);
  }
}

void new_sellers::end(std::vector<std::string>& results) {
  windows_.end(giving(results));
}

}  // namespace apps::nexmark_q8
