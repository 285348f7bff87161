/// Ferret for benchmark programs: pictures that look like those that are asked for.
///
/// ```cpp
/// #include <ferret.hpp>
///
/// int main(int argc, char* argv[]) {
///   spb::init_bench(argc, argv);
///   spb::Metrics::init();
///   for (spb::Item item; spb::Source::op(item);) {
///     spb::Segmentation::op(item);
///     spb::Extract::op(item);
///     spb::Vectorization::op(item);
///     spb::Rank::op(item);
///     spb::Sink::op(item);
///   }
///   spb::Metrics::stop();
///   spb::end_bench();
/// }
/// ```
///
/// Queries may come to the sink in any order: it writes them in that of the input, and keeps the lines of
/// early ones meanwhile.
#pragma once

#include <memory>

#include "spb/api.hpp"
#include "spb/detail/batch.hpp"
#include "spb/operator.hpp"
#include "spb/source_object.hpp"

namespace apps {
namespace ferret {
struct query;  // apps/ferret/query.hpp
}  // namespace ferret
}  // namespace apps

namespace spb {

/// Pictures that are asked for, and what the operators have found out about them. Copies of an item share
/// this.
class Item : public detail::timed_batch<std::shared_ptr<apps::ferret::query>> {};

/// Reads options and opens queries, collection and output. Ends the process if something is wrong with them.
void init_bench(int argc, char** argv);

/// Gives the pictures of the input. Any number of threads may call `op`.
class Source : public SourceObject<Source, Item> {
 public:
  using SourceObject::SourceObject;
  /// The next item; false at the end.
  static bool op(Item& item) { return take(detail::common_feed(), item); }
  static bool take(detail::feed& by, Item& item);
};

/// Divides pictures into regions.
class Segmentation : public Operator<Segmentation, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Describes each region by 14 numbers.
class Extract : public Operator<Extract, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Finds candidates in the collection through an index.
class Vectorization : public Operator<Vectorization, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Orders the candidates by their distance.
class Rank : public Operator<Rank, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Writes a line for each query. Any number of threads may call it.
class Sink : public Operator<Sink, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

}  // namespace spb
