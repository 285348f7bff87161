/// Nexmark's query 2 for benchmark programs: auction and price of the
/// bids for every 123rd auction.
///
/// ```cpp
/// #include <nexmark_q2.hpp>
///
/// int main(int argc, char* argv[]) {
///   spb::init_bench(argc, argv);
///   spb::Metrics::init();
///   for (spb::Item item; spb::Source::op(item);) {
///     spb::Generate::op(item);
///     spb::Select::op(item);
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

/// Empties the item unless it is a bid for one of the auctions. Any number of threads may call it.
class Select : public Operator<Select, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

}  // namespace spb
