#pragma once

#include <thalweg/model/component.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace THALWEG_NAMESPACE::model {

/// The ranks of the items with which keys appeared, by the number of the key: kept only if the keys are
/// divided, so that results that are sent at the end can be put into the order of all keys.
class first_ranks {
 public:
  /// A key has appeared with an item.
  void note(const context& ctx, std::size_t key) {
    if (ctx.part != nullptr) set(key, ctx.rank);
  }
  /// The same for a key that has appeared elsewhere.
  void set(std::size_t key, std::int64_t rank) {
    if (ranks_.size() <= key) ranks_.resize(key + 1);
    ranks_[key] = rank;
  }
  [[nodiscard]] std::int64_t of(std::size_t key) const { return ranks_[key]; }
  /// What is sent from here on belongs to that key.
  void recall(context& ctx, std::size_t key) const {
    if (ctx.part != nullptr) ctx.rank = ranks_[key];
  }

 private:
  std::vector<std::int64_t> ranks_;
};

}  // namespace THALWEG_NAMESPACE::model
