/// Over how many ranks the replicas of a run are to be spread.
#pragma once

#include <thalweg/adapt/window.hpp>

#include <cstdint>
#include <optional>

namespace THALWEG_NAMESPACE::adaptation {

/// The fewest of the first ranks whose workers hold all that computes: the replicas of farms as they are
/// wanted, and what serial stages do. Within the bounds; 0 for a run that is not on several ranks.
[[nodiscard]] int ranks_needed(const window& w, const changes& wanted);

/// Follows that from window to window: more ranks at once, fewer one by one when they have long been too
/// many. Where that was a mistake, as they were needed again soon, it takes twice as long the next time.
class rank_memory {
 public:
  /// How many to ask for now; nothing: as many as there are.
  [[nodiscard]] std::optional<int> look(const window& w, const changes& wanted);
  /// Adds them to what is wanted, and why.
  void decide(const window& w, changes& wanted);

 private:
  int unused_ = 0;            // windows in a row with too many
  int patience_ = 8;          // that it takes before there is one fewer
  std::uint64_t shrank_ = 0;  // in this window; 0: never
};

}  // namespace THALWEG_NAMESPACE::adaptation
