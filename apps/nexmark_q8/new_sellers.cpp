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
  auto* const window = windows_.at(of.time, giving(results));
  if (window == nullptr) return;
  if (of.what == nexmark::kind::person) {
    window->names.emplace(of.person->id, of.person->name);
  } else {
    window->sellers.insert(of.auction->seller);
  }
}

void new_sellers::end(std::vector<std::string>& results) {
  windows_.end(giving(results));
}

}  // namespace apps::nexmark_q8
