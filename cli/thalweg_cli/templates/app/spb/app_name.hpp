/// The application app_name for benchmark programs.
///
/// ```cpp
/// #include <app_name.hpp>
///
/// int main(int argc, char* argv[]) {
///   spb::init_bench(argc, argv);
///   spb::Metrics::init();
///   for (spb::Item item; spb::Source::op(item);) {
///     spb::Longest::op(item);
///     spb::Sink::op(item);
///   }
///   spb::Metrics::stop();
///   spb::end_bench();
/// }
/// ```
///
/// Items must come to the sink in the order of the source: what comes out of order is an error.
#pragma once

#include "apps/app_name/interval.hpp"
#include "spb/api.hpp"
#include "spb/detail/batch.hpp"
#include "spb/operator.hpp"
#include "spb/source_object.hpp"

namespace spb {

/// Intervals, and what was found in them.
class Item : public detail::batch<apps::app_name::interval> {};

/// Reads options and opens input and output. Ends the process if something is wrong with them.
void init_bench(int argc, char** argv);

/// Gives the intervals, in order. Any number of threads may call `op`.
class Source : public SourceObject<Source, Item> {
 public:
  using SourceObject::SourceObject;
  /// The next item; false at the end.
  static bool op(Item& item) { return take(detail::common_feed(), item); }
  static bool take(detail::feed& by, Item& item);
};

/// Finds the longest sequence of each interval.
class Longest : public Operator<Longest, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Writes what was found.
class Sink : public Operator<Sink, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

}  // namespace spb
