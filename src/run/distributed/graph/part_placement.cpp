#include "part_placement.hpp"

#include <thalweg/model/errors.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include "spread.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

namespace {

constexpr std::size_t parts_per_replica = 8;  // of keys

// Each place gets parts in proportion to its replicas. Those left over go to the places that lack most.
std::vector<std::size_t> in_proportion(std::size_t parts, const std::vector<place_of>& places) {
  const auto all = static_cast<std::size_t>(replicas_in_all(places));
  std::vector<std::size_t> each, lacks;
  auto left = parts;
  for (const auto& p : places) {
    const auto wanted = parts * static_cast<std::size_t>(p.replicas);
    each.push_back(wanted / all);
    lacks.push_back(wanted % all);
    left -= each.back();
  }
  for (; left > 0; --left) {
    const auto most = std::max_element(lacks.begin(), lacks.end());
    ++each[static_cast<std::size_t>(most - lacks.begin())];
    *most = 0;
  }
  return each;
}

}  // namespace

std::size_t part_list::at(std::size_t which) const {
  return static_cast<std::size_t>(std::count(place.begin(), place.end(), which));
}

part_placement::part_placement(exchange& others, int coordinator, std::vector<place_of> where,
                               const model::stage_info& info, bool keys_travel)
    : by(&others),
      rank(coordinator),
      places(std::move(where)),
      keyed(info.state.keyed()),
      moves(keys_travel),
      dealing(info.opts.schedule) {
  const auto all = replicas();
  if (all > most_partitions)
    throw invalid_job({"stage '" + info.name + "': has " + std::to_string(all) +
                       " replicas on all ranks, but one rank divides the items, among at most " +
                       std::to_string(most_partitions)});
  if (!keyed) return;
  // Also enough for a rank in reserve.
  const auto least = std::min(most_partitions, std::max(all, moves ? places.size() : 1));
  key_parts_ = std::clamp<std::size_t>(most_partitions / least, 1, parts_per_replica) * least;
}

std::size_t part_placement::replicas() const noexcept {
  return static_cast<std::size_t>(replicas_in_all(places));
}

part_list part_placement::parts(int replicas, int over_ranks) const {
  part_list made;
  const auto add = [&](std::size_t place, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) made.add(place, i);
  };
  if (keyed) {
    const auto n = in_proportion(key_parts_, moves ? spread(*by, places, replicas, over_ranks) : places);
    for (std::size_t i = 0; i < n.size(); ++i) add(i, n[i]);
  } else if (dealing.how() == schedule::kind::on_demand) {
    const auto all = spread(*by, places, replicas, over_ranks);
    for (std::size_t i = 0; i < all.size(); ++i) add(i, static_cast<std::size_t>(all[i].replicas));
  } else {
    const auto wanted = static_cast<std::size_t>(replicas);
    auto all = places;
    for (std::size_t i = 0; i < all.size(); ++i) add(i, static_cast<std::size_t>(all[i].replicas));
    while (made.size() < wanted) {
      const auto more = resized(all, static_cast<int>(made.size()) + 1);
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (more[i].replicas > all[i].replicas) made.add(i, static_cast<std::size_t>(all[i].replicas));
      }
      all = more;
    }
    made.place.resize(wanted);
    made.number.resize(wanted);
  }
  return made;
}

std::size_t part_placement::most_at(std::size_t place) const {
  if (keyed) return moves ? key_parts_ : parts().at(place);
  const auto most = static_cast<int>(most_partitions);
  // `set_ranks` may leave all of them to one rank.
  const bool may_get_all =
      dealing.how() == schedule::kind::on_demand && places[place].stays == fixed_by::nothing;
  return may_get_all ? most_partitions : parts(most, 0).at(place);
}

std::size_t part_placement::replicas_at(std::size_t place, int replicas) const {
  if (!keyed) return parts(replicas, ranks.load()).at(place);
  const auto n = static_cast<std::size_t>(spread(*by, places, replicas, ranks.load())[place].replicas);
  return moves ? n : std::clamp<std::size_t>(n, 1, std::max<std::size_t>(1, parts().at(place)));
}

int part_placement::possible(int wanted) const {
  if (!keyed) return std::clamp(wanted, 1, static_cast<int>(most_partitions));
  const int n = std::clamp(wanted, 1, static_cast<int>(key_parts_));
  if (moves) return n;
  std::size_t sum = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (parts().at(i) > 0) sum += replicas_at(i, n);
  }
  return std::max(1, static_cast<int>(sum));
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
