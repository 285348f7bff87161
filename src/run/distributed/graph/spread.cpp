#include "spread.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace THALWEG_NAMESPACE::run_detail::dataflow {

namespace {

// One after the other to the rank whose workers have least to do then. Rank 0, which has serial stages, comes
// last of several.
void fill_evenly(const exchange& by, std::vector<place_of>& places, int n) {
  const auto before = [&](const place_of& a, const place_of& b) {
    const auto ours = std::int64_t{a.replicas + 1} * by.workers(b.rank),
               theirs = std::int64_t{b.replicas + 1} * by.workers(a.rank);
    return ours != theirs ? ours < theirs : a.rank != 0 && b.rank == 0;
  };
  for (int i = 0; i < n; ++i) ++std::min_element(places.begin(), places.end(), before)->replicas;
}

}  // namespace

bool may_have_replicas(const place_of& at, int ranks) noexcept {
  if (ranks == 0) return at.rank > 0 || at.replicas > 0;
  return at.stays != fixed_by::nothing || at.rank < ranks;
}

std::vector<place_of> spread(const exchange& by, std::vector<place_of> places, int n, int ranks) {
  const bool anew = ranks > 0 && std::all_of(places.begin(), places.end(),
                                             [](const place_of& p) { return p.stays == fixed_by::nothing; });
  std::vector<place_of> possible;
  for (auto& p : places) {
    if (may_have_replicas(p, ranks) && (ranks > 0 || by.is_there(p.rank))) possible.push_back(p);
    if (anew && !possible.empty()) possible.back().replicas = 0;
    p.replicas = 0;
  }
  // None of the first ranks can have them: of those that can, the first one keeps them all.
  if (possible.empty()) possible.push_back(places.front());
  if (anew) {
    fill_evenly(by, possible, n);
  } else {
    possible = resized(std::move(possible), n);
  }
  for (auto& p : places) p.replicas = std::max(0, replicas_on(possible, p.rank));
  return places;
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
