#pragma once

#include <thalweg/model/component.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "exchange.hpp"
#include "task_message.hpp"

/// Where the parts of a farm are that several ranks execute together with one coordinator (coordinator.hpp).
namespace thalweg::run_detail::network {

inline constexpr std::size_t most_fresh = 32;  ///< ranks whose results may be sent as they come

/// Where each part of such a farm is: by part, at which place, and which of the parts there it is.
struct part_list {
  std::vector<std::uint8_t> place, number;

  void add(std::size_t at, std::size_t as) {
    place.push_back(static_cast<std::uint8_t>(at));
    number.push_back(static_cast<std::uint8_t>(as));
  }
  [[nodiscard]] std::size_t size() const noexcept { return place.size(); }
  [[nodiscard]] std::size_t at(std::size_t which) const;  ///< how many
};

/// On which ranks such a farm has parts, and how many replicas make of it what. All ranks come to the same.
struct part_placement {
  exchange* by = nullptr;
  int rank = 0;                  ///< of the coordinator
  std::vector<place_of> places;  ///< as the job begins
  bool keyed = false;
  bool moves = false;  ///< the keys of a part can go to another rank
  schedule dealing{};
  std::uint32_t asks = 0, answers = 0;  ///< channels
  std::unique_ptr<task_message_wire> how_to_ask, how_to_answer;

  /// With a part for each replica; for each key more, so that they are worth the same.
  part_placement(exchange& others, int coordinator, std::vector<place_of> where,
                 const model::stage_info& info, bool keys_travel);

  /// As the job begins.
  [[nodiscard]] std::size_t replicas() const noexcept;
  [[nodiscard]] part_list parts() const { return parts(static_cast<int>(replicas())); }
  /// With so many replicas. Where items are dealt out by their number the first parts are the same ones with
  /// any: each has a place for good. Keys: how many parts are where; which of them is for the coordinator to
  /// say.
  [[nodiscard]] part_list parts(int replicas) const;
  /// The most that there may ever be at a place.
  [[nodiscard]] std::size_t most_at(std::size_t place) const;
  /// How many of so many replicas work at a place. Keys that cannot move keep one at work there.
  [[nodiscard]] std::size_t replicas_at(std::size_t place, int replicas) const;
  /// The number nearest to that of replicas that there can be.
  [[nodiscard]] int possible(int replicas) const;

 private:
  std::size_t key_parts_ = 0;
};

}  // namespace thalweg::run_detail::network
