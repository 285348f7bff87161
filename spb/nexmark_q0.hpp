/// Nexmark's query 0 for benchmark programs: each bid, as it is.
///
/// ```cpp
/// #include <nexmark_q0.hpp>
///
/// int main(int argc, char* argv[]) {
///   spb::init_bench(argc, argv);
///   spb::Metrics::init();
///   for (spb::Item item; spb::Source::op(item);) {
///     spb::Generate::op(item);
///     spb::Bids::op(item);
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

/// Empties the item unless it is a bid. Any number of threads may call it.
class Bids : public Operator<Bids, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

}  // namespace spb
