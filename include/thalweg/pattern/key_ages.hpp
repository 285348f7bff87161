#pragma once

#include <thalweg/version.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace THALWEG_NAMESPACE::model {

/// When keys, known by their numbers, have last seen an item: a list in that order, so that keys that are too
/// old are found at once. Times are in ns, and do not go back.
class key_ages {
 public:
  using id = std::uint32_t;

  /// A key has seen an item `now`; it may be a new one.
  void touch(id key, std::int64_t now) {
    if (all_.size() <= key) all_.resize(std::size_t{key} + 1);
    if (all_[key].born != 0) {
      unlink(key);
    } else {
      all_[key].born = ++born_;
    }
    latest_ = std::max(latest_, now);
    all_[key].seen = latest_;
    all_[key].before = newest_;
    all_[key].behind = none;
    (newest_ == none ? oldest_ : all_[newest_].behind) = key;
    newest_ = key;
  }
  /// This key does not exist any more.
  void forget(id key) {
    unlink(key);
    all_[key].born = 0;
  }
  /// The key that has waited longest, if at least for `age`.
  [[nodiscard]] std::optional<id> expired(std::int64_t now, std::int64_t age) const {
    if (oldest_ == none || std::max(latest_, now) - all_[oldest_].seen < age) return {};
    return oldest_;
  }
  /// Which of two keys has appeared first.
  [[nodiscard]] bool is_older(id a, id b) const { return all_[a].born < all_[b].born; }

 private:
  static constexpr id none = std::numeric_limits<id>::max();

  struct entry {
    std::int64_t seen = 0;
    std::uint64_t born = 0;  // 0: there is no such key
    id before = none;
    id behind = none;
  };

  void unlink(id key) {
    const auto& e = all_[key];
    (e.before == none ? oldest_ : all_[e.before].behind) = e.behind;
    (e.behind == none ? newest_ : all_[e.behind].before) = e.before;
  }

  std::vector<entry> all_;
  id oldest_ = none, newest_ = none;
  std::uint64_t born_ = 0;
  std::int64_t latest_ = std::numeric_limits<std::int64_t>::min() / 2;
};

}  // namespace THALWEG_NAMESPACE::model
