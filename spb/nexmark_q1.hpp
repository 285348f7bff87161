/// Nexmark's query 1 for benchmark programs: each bid, its price in euros.
///
/// ```cpp
/// #include <nexmark_q1.hpp>
///
/// int main(int argc, char* argv[]) {
///   spb::init_bench(argc, argv);
///   spb::Metrics::init();
///   for (spb::Item item; spb::Source::op(item);) {
///     spb::Generate::op(item);
///     spb::Convert::op(item);
///     if (item) spb::Sink::op(item);
///   }
///   spb::Metrics::stop();
///   spb::end_bench();
/// }
/// ```
///
/// The order of the bids does not matter.
#pragma once

#include "spb/nexmark.hpp"

namespace spb {

/// Empties the item unless it is a bid, and gives that its price in euros. Any number of threads may call
/// it.
class Convert : public Operator<Convert, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

}  // namespace spb
