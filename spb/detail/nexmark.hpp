#pragma once

#include <cstddef>
#include <memory>

#include "apps/nexmark/event.hpp"
#include "apps/nexmark/query.hpp"
#include "apps/nexmark/workload.hpp"
#include "apps/support/application.hpp"
#include "spb/detail/operation.hpp"

namespace spb::detail {

/// Makes a query as plain code, for a stream of events; null where there is none.
using nexmark_query = std::unique_ptr<apps::nexmark::query> (*)(const apps::nexmark::workload& of);

/// `init_bench` of a query.
void begin_nexmark(int argc, char** argv, const apps::application& about, nexmark_query make);

/// The places of the operators. All queries have one between `Generate` and the sink.
enum nexmark_operation : std::size_t {
  nexmark_source_op,
  nexmark_generate_op,
  nexmark_query_op,
  nexmark_sink_op
};

/// Applies a query that gives bids: `keep(event)` says whether it gives the event, which it may change.
template <class Item, class F> void keep_bids(Item& item, F keep) {
  operate(nexmark_query_op, item,
          [&](Item& events) { events.drop_if([&](apps::nexmark::event& one) { return !keep(one); }); });
}

/// Makes a query of a type for `begin_nexmark`.
template <class Query> std::unique_ptr<apps::nexmark::query> make_nexmark(const apps::nexmark::workload& of) {
  return std::make_unique<Query>(of);
}

}  // namespace spb::detail
