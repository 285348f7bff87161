#pragma once

#include <thalweg/model/component.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "exchange.hpp"
#include "task_message.hpp"

/// Where the parts of a farm are that several ranks execute together with one coordinator (coordinator.hpp).
namespace THALWEG_NAMESPACE::run_detail::dataflow {

inline constexpr std::size_t most_fresh = 32;  ///< ranks whose results may be sent as they come

/// Where each part of such a farm is: for each part its place, and its number among the parts there.
struct part_list {
  std::vector<std::uint8_t> place, number;

  void add(std::size_t at, std::size_t as) {
    place.push_back(static_cast<std::uint8_t>(at));
    number.push_back(static_cast<std::uint8_t>(as));
  }
  [[nodiscard]] std::size_t size() const noexcept { return place.size(); }
  [[nodiscard]] std::size_t at(std::size_t which) const;  ///< how many
};

/// The ranks on which such a farm has parts, and how many it has there. All ranks come to the same result.
struct part_placement {
  exchange* by = nullptr;
  int rank = 0;                  ///< of the coordinator
  std::vector<place_of> places;  ///< as the job begins
  bool keyed = false;
  bool moves = false;  ///< the keys of a part can go to another rank
  schedule dealing{};
  std::atomic<int> ranks{0};  ///< over so many they are to be spread, as `set_ranks` says; 0: it says nothing
  std::uint32_t asks = 0, answers = 0;  ///< channels
  std::unique_ptr<task_message_wire> how_to_ask, how_to_answer;

  /// Each replica has a part. With keys it has several, so that all replicas have as many keys.
  part_placement(exchange& others, int coordinator, std::vector<place_of> where,
                 const model::stage_info& info, bool keys_travel);

  /// As the job begins.
  [[nodiscard]] std::size_t replicas() const noexcept;
  [[nodiscard]] part_list parts() const { return parts(static_cast<int>(replicas()), 0); }
  /// With so many replicas, over so many ranks (0: as `set_ranks` says nothing). Where items are dealt out by
  /// number, each part keeps its place whatever the number of replicas is. With keys only the number of parts
  /// at each place is meant: the coordinator chooses them.
  [[nodiscard]] part_list parts(int replicas, int over_ranks) const;
  /// The most parts that a place may ever have.
  [[nodiscard]] std::size_t most_at(std::size_t place) const;
  /// How many of so many replicas work at a place. Where keys cannot move, at least one does.
  [[nodiscard]] std::size_t replicas_at(std::size_t place, int replicas) const;
  /// The possible number of replicas that is nearest to this one.
  [[nodiscard]] int possible(int replicas) const;

 private:
  std::size_t key_parts_ = 0;
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
