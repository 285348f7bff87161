#pragma once

#include <thalweg/version.hpp>

#include <cstdint>
#include <vector>

/// Which ranks execute a stage.
namespace THALWEG_NAMESPACE::run_detail::dataflow {

/// Why a farm keeps the ranks that it began on, whatever `set_ranks` asks for.
enum class fixed_by : std::int32_t {
  nothing,   ///< it does not
  wish,      ///< `.place` has named them
  numbers,   ///< its items are dealt out by number, and each replica may keep a state
  keys,      ///< their states cannot travel
  items,     ///< they cannot travel
  one_rank,  ///< has all of it, and need not tell others of its items
};

/// Some of a stage's replicas, on one rank. A serial stage has one place with one replica.
struct place_of {
  int rank = 0;
  int replicas = 1;  ///< of a farm also 0: a rank that may get some while the job runs
  fixed_by stays = fixed_by::nothing;
  friend bool operator==(const place_of&, const place_of&) = default;
};

/// Where each stage is executed, by its number in the plan; of a farm, all stages have the same places.
/// Places are sorted by rank.
using mapping = std::vector<std::vector<place_of>>;

[[nodiscard]] int replicas_in_all(const std::vector<place_of>& places);
/// -1: it is not executed there.
[[nodiscard]] int replicas_on(const std::vector<place_of>& places, int rank);
/// The same places with `n` replicas in all. One after the other is added where there are fewest, or taken
/// away where there are most: all ranks that begin with the same places come to the same, whatever they have
/// changed in between.
[[nodiscard]] std::vector<place_of> resized(std::vector<place_of> places, int n);

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
