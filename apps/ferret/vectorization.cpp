#include "apps/ferret/vectorization.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "apps/support/random.hpp"

namespace apps::ferret {
namespace {

constexpr std::size_t mean_bucket = 16;
constexpr std::size_t ahead = 8;
constexpr std::uint16_t far = 2500;  // a region that is further away is as good as none

}  // namespace

index::index(const database& collection) : collection_(&collection), tables_(tables) {
  const auto all = collection.regions();
  const auto bits = static_cast<std::size_t>(std::bit_width(all.size() / mean_bucket));
  random dice(all.size());
  for (auto& table : tables_) {
    // As a walk from one region to another along the axes meets thresholds: long ways have more of them.
    while (table.tests.size() < bits) {
      const auto& a = all[dice.below(all.size())].values;
      const auto& b = all[dice.below(all.size())].values;
      std::uint32_t way = 0;
      for (std::size_t i = 0; i < dimensions; ++i) way += static_cast<std::uint32_t>(std::abs(a[i] - b[i]));
      auto left = static_cast<std::int32_t>(dice.below(way + 1));
      std::uint32_t dimension = 0;
      while (dimension + 1 < dimensions && left >= std::abs(a[dimension] - b[dimension])) {
        left -= std::abs(a[dimension] - b[dimension]);
        ++dimension;
      }
      table.tests.push_back(
          {dimension, static_cast<std::int16_t>(std::min(a[dimension], b[dimension]) + left)});
    }
    table.starts.assign((std::size_t{1} << bits) + 1, 0);
    std::vector<std::uint32_t> keys;
    keys.reserve(all.size());
    for (const auto& region : all) ++table.starts[keys.emplace_back(table.key(region))];
    std::uint32_t sum = 0;
    for (auto& start : table.starts) start = sum += start;
    // From behind: what are ends now become starts, and regions stay in order.
    table.regions.resize(all.size());
    for (auto i = static_cast<std::uint32_t>(all.size()); i-- > 0;)
      table.regions[--table.starts[keys[i]]] = i;
  }
}

candidate_finder::candidate_finder(const index& through, std::size_t wanted)
    : index_(&through),
      wanted_(wanted),
      nearest_(through.collection().size(), far),
      score_(through.collection().size()) {}

std::vector<std::uint32_t> candidate_finder::operator()(signature_view described) {
  const auto regions = index_->collection().regions();
  const auto pictures = index_->collection().pictures();
  found_.clear();
  for (std::size_t i = 0; i < described.regions.size(); ++i) {
    const auto& region = described.regions[i];
    touched_.clear();
    for (std::size_t table = 0; table < index::tables; ++table) {
      const auto bucket = index_->near(table, region);
      for (std::size_t k = 0; k < bucket.size(); ++k) {
        // They are anywhere in memory: asked for before they are needed.
        __builtin_prefetch(&regions[bucket[std::min(k + ahead, bucket.size() - 1)]]);
        const auto near = bucket[k];
        const auto away = distance(region, regions[near]);
        auto& nearest = nearest_[pictures[near]];
        if (away >= nearest) continue;
        if (nearest == far) touched_.push_back(pictures[near]);
        nearest = away;
      }
    }
    for (const auto picture : touched_) {
      if (score_[picture] == 0) found_.push_back(picture);
      score_[picture] += static_cast<std::uint32_t>(far - nearest_[picture]) * (described.weights[i] + 1U);
      nearest_[picture] = far;
    }
  }
  const auto better = [&](std::uint32_t a, std::uint32_t b) {
    return score_[a] != score_[b] ? score_[a] > score_[b] : a < b;
  };
  const auto count = std::min(wanted_, found_.size());
  std::nth_element(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(count), found_.end(), better);
  std::vector<std::uint32_t> candidates(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(count));
  for (const auto picture : found_) score_[picture] = 0;
  // In the order in which they lie in memory.
  std::ranges::sort(candidates);
  return candidates;
}

}  // namespace apps::ferret
