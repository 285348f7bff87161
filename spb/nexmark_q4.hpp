/// Nexmark's query 4 for benchmark programs: what the auctions of each category went for. See
/// `category_price`.
///
/// ```cpp
/// #include <nexmark_q4.hpp>
///
/// int main(int argc, char* argv[]) {
///   spb::init_bench(argc, argv);
///   spb::Metrics::init();
///   spb::Query query;
///   for (spb::Item item; spb::Source::op(item);) {
///     spb::Generate::op(item);
///     for (auto& result : query.op(item)) spb::Sink::op(result);
///   }
///   for (auto& result : query.end()) spb::Sink::op(result);
///   spb::Metrics::stop();
///   spb::end_bench();
/// }
/// ```
#pragma once

#include "spb/nexmark.hpp"
