#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <ff/ff.hpp>

#include "bench/support/chunk.hpp"
#include "spb/nexmark.hpp"

/// The nodes of a farm for a query of Nexmark that gives bids.
template <class Query> struct bids_nodes {
  using events = chunk<spb::Item>;

  struct source : ff::ff_node_t<events> {
    events* svc(events*) override {
      auto some = std::make_unique<events>();
      return some->template take<spb::Source>() ? some.release() : this->EOS;
    }
  };
  struct worker : ff::ff_node_t<events> {
    events* svc(events* some) override {
      some->template apply<spb::Generate>();
      some->template apply<Query>();
      return some;
    }
  };
  struct sink : ff::ff_node_t<events> {
    events* svc(events* some) override {
      const std::unique_ptr<events> owner(some);
      some->template apply_to_rest<spb::Sink>();
      return this->GO_ON;
    }
  };
};

/// Such a query as a farm of FastFlow.
template <class Query> void bids_over_fastflow() {
  using nodes = bids_nodes<Query>;
  std::vector<std::unique_ptr<ff::ff_node>> workers;
  for (int i = 0; i < spb::nthreads; ++i) workers.push_back(std::make_unique<typename nodes::worker>());
  ff::ff_Farm<typename nodes::events> farm(std::move(workers));
  typename nodes::source first;
  typename nodes::sink last;
  farm.add_emitter(first);
  farm.add_collector(last);
  farm.set_scheduling_ondemand();
  if (farm.run_and_wait_end() < 0) ff::error("running the farm\n");
}
