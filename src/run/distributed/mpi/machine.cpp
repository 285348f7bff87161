#include "machine.hpp"

#include <thalweg/model/errors.hpp>

#include <algorithm>
#include <charconv>

namespace THALWEG_NAMESPACE::run_detail::distributed {

std::vector<int> machine::by_host() const {
  std::vector<int> all;
  all.reserve(ranks.size());
  for (const auto& name : hosts()) {
    for (int r = 0; r < size(); ++r) {
      if (host(r) == name) all.push_back(r);
    }
  }
  return all;
}

std::vector<int> machine::on_host(std::string_view name) const {
  std::vector<int> all;
  for (int r = 0; r < size(); ++r) {
    const std::string_view full = host(r);
    if (full == name || full.substr(0, full.find('.')) == name) all.push_back(r);
  }
  return all;
}

std::vector<std::string> machine::hosts() const {
  std::vector<std::string> all;
  for (const auto& r : ranks) {
    if (std::find(all.begin(), all.end(), r.host) == all.end()) all.push_back(r.host);
  }
  return all;
}

machine made_up(int ranks, std::string_view hosts, int cores) {
  constexpr int most = 1 << 20;
  machine places;
  while (!hosts.empty()) {
    const auto one = hosts.substr(0, hosts.find(','));
    hosts.remove_prefix(std::min(hosts.size(), one.size() + 1));
    const auto colon = one.find(':');
    const auto name = one.substr(0, colon);
    int n = 1;
    if (colon != std::string_view::npos) {
      const auto number = one.substr(colon + 1);
      const auto read = std::from_chars(number.data(), number.data() + number.size(), n);
      if (read.ec != std::errc() || read.ptr != number.data() + number.size() || n < 1 || n > most) n = 0;
    }
    if (name.empty() || n == 0)
      throw error("hosts: '" + std::string(one) +
                  "' is not a name, or a name and a number of ranks, as node1:4");
    places.ranks.insert(places.ranks.end(), static_cast<std::size_t>(n), {std::string(name)});
  }
  if (!places.ranks.empty() && ranks > places.size())
    throw error("hosts: they have room for " + std::to_string(places.size()) + " ranks, not for " +
                std::to_string(ranks));
  if (places.ranks.empty()) places.ranks.push_back({"this host"});
  machine made;
  const auto n = ranks == 0 ? places.ranks.size() : static_cast<std::size_t>(ranks);
  for (std::size_t r = 0; r < n; ++r) made.ranks.push_back(places.ranks[r % places.ranks.size()]);
  for (auto& r : made.ranks) {
    const auto near =
        std::count_if(made.ranks.begin(), made.ranks.end(), [&](const auto& x) { return x.host == r.host; });
    r.workers = std::max(1, cores / static_cast<int>(near));
    r.has_core = near <= cores;
  }
  return made;
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
