/// Search of pictures by what they show. One thread does it so:
///
/// ```cpp
/// namespace ferret = apps::ferret;
/// const auto collection = ferret::database::load("database.features");
/// const ferret::index through(collection);
/// ferret::source source("queries.pack");
/// ferret::segmentation segmentation;
/// ferret::extract extract;
/// ferret::vectorization vectorization(through);
/// ferret::rank rank(collection);
/// ferret::sink sink("ranking.tsv", collection);
/// while (auto query = source()) sink(rank(vectorization(extract(segmentation(std::move(*query))))));
/// sink.close();
/// ```
///
/// Database and index are only read, by as many threads as there are. `segmentation` and `vectorization` keep
/// memory, but no state, from one item to the next: each thread has its own. Results depend on nothing but
/// the input: they are the same in every order, and on every machine.
#pragma once

#include <utility>

#include "apps/ferret/database.hpp"
#include "apps/ferret/extract.hpp"
#include "apps/ferret/query.hpp"
#include "apps/ferret/rank.hpp"
#include "apps/ferret/segmentation.hpp"
#include "apps/ferret/sink.hpp"
#include "apps/ferret/source.hpp"
#include "apps/ferret/vectorization.hpp"
#include "apps/support/application.hpp"

namespace apps::ferret {

/// How many candidates are ranked: as many as make ranking the heaviest operator, and find nearly all that
/// exhaustive ranking finds.
inline constexpr std::size_t candidates_wanted = 1600;

/// Divides the picture into regions.
class segmentation {
 public:
  query operator()(query item) {
    item.divided = divide_(item.shown);
    return item;
  }

 private:
  segmenter divide_;
};

/// Describes each region.
struct extract {
  query operator()(query item) const {
    item.description = describe(item.shown, item.divided);
    item.shown = {};
    item.divided = {};
    return item;
  }
};

/// Finds candidates through the index, which must outlive it.
class vectorization {
 public:
  explicit vectorization(const index& through, std::size_t candidates = candidates_wanted)
      : find_(through, candidates) {}
  query operator()(query item) {
    item.candidates = find_(item.description);
    return item;
  }

 private:
  candidate_finder find_;
};

/// Orders them. The database must outlive it.
class rank {
 public:
  explicit rank(const database& collection) : collection_(&collection) {}
  query operator()(query item) const {
    item.ranking = nearest(*collection_, item.description, item.candidates);
    item.candidates = {};
    return item;
  }

 private:
  const database* collection_;
};

/// What tools need to know.
const application& about();

}  // namespace apps::ferret
