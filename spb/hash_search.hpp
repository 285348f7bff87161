/// Hash search for benchmark programs: the numbers that hashes are of are found by brute force.
///
/// ```cpp
/// #include <hash_search.hpp>
///
/// int main(int argc, char* argv[]) {
///   spb::init_bench(argc, argv);
///   spb::Metrics::init();
///   for (spb::Item item; spb::Source::op(item);) {
///     spb::Search::op(item);
///     spb::Sink::op(item);
///   }
///   spb::Metrics::stop();
///   spb::end_bench();
/// }
/// ```
///
/// Hashes may come to the sink in any order: it writes the numbers in that of the list when all have come.
#pragma once

#include <memory>

#include "spb/api.hpp"
#include "spb/detail/batch.hpp"
#include "spb/operator.hpp"
#include "spb/source_object.hpp"

namespace apps {
namespace hash_search {
struct wanted;  // apps/hash_search/wanted.hpp
}  // namespace hash_search
}  // namespace apps

namespace spb {

/// Hashes, and their numbers. Copies of an item share them.
class Item : public detail::batch<std::shared_ptr<apps::hash_search::wanted>> {};

/// Reads options and opens input and output. Ends the process if something is wrong with them.
void init_bench(int argc, char** argv);

/// Gives the hashes of the list, in its order. Any number of threads may call `op`.
class Source : public SourceObject<Source, Item> {
 public:
  using SourceObject::SourceObject;
  /// The next item; false at the end.
  static bool op(Item& item) { return take(detail::common_feed(), item); }
  static bool take(detail::feed& by, Item& item);
};

/// Searches the range for the number of each hash.
class Search : public Operator<Search, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Collects the numbers. Any number of threads may call it.
class Sink : public Operator<Sink, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

}  // namespace spb
