#pragma once

#include <cstddef>
#include <vector>

namespace spb::detail {

/// What an operator with state keeps of each stream of a run for itself (`per_stream`). Thread-confined.
template <class State> class by_stream {
 public:
  State& operator[](std::size_t stream) {
    if (stream >= all_.size()) [[unlikely]]
      all_.resize(stream + 1);
    return all_[stream];
  }
  /// Null where there has been nothing yet.
  [[nodiscard]] const State* find(std::size_t stream) const {
    return stream < all_.size() ? &all_[stream] : nullptr;
  }
  [[nodiscard]] std::size_t size() const { return all_.size(); }

 private:
  std::vector<State> all_;
};

}  // namespace spb::detail
