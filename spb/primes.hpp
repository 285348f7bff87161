/// Prime numbers for benchmark programs: each number is tested by trial division.
///
/// ```cpp
/// #include <primes.hpp>
///
/// int main(int argc, char* argv[]) {
///   spb::init_bench(argc, argv);
///   spb::Metrics::init();
///   for (spb::Item item; spb::Source::op(item);) {
///     spb::Primality::op(item);
///     spb::Sink::op(item);
///   }
///   spb::Metrics::stop();
///   spb::end_bench();
/// }
/// ```
///
/// Numbers may come to the sink in any order: it writes the primes in ascending order when all have come.
#pragma once

#include "apps/primes/candidate.hpp"
#include "spb/api.hpp"
#include "spb/detail/batch.hpp"
#include "spb/operator.hpp"
#include "spb/source_object.hpp"

namespace spb {

/// Numbers, and whether they are prime.
class Item : public detail::batch<apps::primes::candidate> {};

/// Reads options and opens input and output. Ends the process if something is wrong with them.
void init_bench(int argc, char** argv);

/// Gives the numbers of the range, in ascending order. Any number of threads may call `op`.
class Source : public SourceObject<Source, Item> {
 public:
  using SourceObject::SourceObject;
  /// The next item; false at the end.
  static bool op(Item& item) { return take(detail::common_feed(), item); }
  static bool take(detail::feed& by, Item& item);
};

/// Tests numbers by trial division.
class Primality : public Operator<Primality, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Collects the primes. Any number of threads may call it.
class Sink : public Operator<Sink, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

}  // namespace spb
