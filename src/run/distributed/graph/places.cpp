#include "places.hpp"

#include <algorithm>

namespace THALWEG_NAMESPACE::run_detail::dataflow {

int replicas_in_all(const std::vector<place_of>& places) {
  int sum = 0;
  for (const auto& p : places) sum += p.replicas;
  return sum;
}

int replicas_on(const std::vector<place_of>& places, int rank) {
  for (const auto& p : places) {
    if (p.rank == rank) return p.replicas;
  }
  return -1;
}

std::vector<place_of> resized(std::vector<place_of> places, int n) {
  const auto fewer = [](const place_of& a, const place_of& b) { return a.replicas < b.replicas; };
  int now = replicas_in_all(places);
  for (; now < n; ++now) ++std::min_element(places.begin(), places.end(), fewer)->replicas;
  // Of several the last: the first ones stay.
  for (; now > n; --now) --std::max_element(places.rbegin(), places.rend(), fewer)->replicas;
  return places;
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
