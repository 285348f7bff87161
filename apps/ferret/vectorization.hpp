#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/ferret/database.hpp"
#include "apps/ferret/signature.hpp"

namespace apps::ferret {

/// Finds regions that are probably near: locality-sensitive hashing for the sum of absolute differences by
/// sampled thresholds (A. Gionis, P. Indyk and R. Motwani, Similarity Search in High Dimensions via Hashing,
/// 1999). A key has a bit for each of several pairs of a dimension and a threshold; two regions differ in a
/// bit with a probability that grows with their distance. Thresholds lie between two regions of the
/// collection each, so that buckets are not too unlike. Threads may read it at once; the database must
/// outlive it.
class index {
 public:
  static constexpr std::size_t tables = 10;

  explicit index(const database& collection);

  /// The regions of the database that share a table's bucket with this one.
  [[nodiscard]] std::span<const std::uint32_t> near(std::size_t table, const features& region) const {
    const auto& all = tables_[table];
    const auto key = all.key(region);
    return std::span(all.regions).subspan(all.starts[key], all.starts[key + 1] - all.starts[key]);
  }
  [[nodiscard]] const database& collection() const { return *collection_; }

 private:
  struct test {
    std::uint32_t dimension;
    std::int16_t threshold;
  };
  struct table {
    std::vector<test> tests;
    std::vector<std::uint32_t> starts;  ///< of each key's bucket
    std::vector<std::uint32_t> regions;

    [[nodiscard]] std::uint32_t key(const features& region) const {
      std::uint32_t made = 0;
      for (const auto& one : tests) made = 2 * made + (region.values[one.dimension] > one.threshold ? 1 : 0);
      return made;
    }
  };

  const database* collection_;
  std::vector<table> tables_;
};

/// Chooses the pictures that are worth a close look: those whose regions, found through the index, are
/// nearest to the query's, each by its weight. What is not found counts as far away.
///
/// Keeps its memory from one query to the next; one for each thread.
class candidate_finder {
 public:
  /// `wanted`: how many at most. The index must outlive it.
  explicit candidate_finder(const index& through, std::size_t wanted);

  /// Their numbers in the database, ascending.
  std::vector<std::uint32_t> operator()(signature_view described);

 private:
  const index* index_;
  std::size_t wanted_;
  std::vector<std::uint16_t> nearest_;  // of each picture's regions to one of the query
  std::vector<std::uint32_t> touched_;  // pictures that have one
  std::vector<std::uint32_t> score_;    // how near each picture is; 0: not found
  std::vector<std::uint32_t> found_;    // pictures with a score
};

}  // namespace apps::ferret
