#pragma once

#include <memory>
#include <vector>

#include <ff/ff.hpp>

#include "bench/support/in_order.hpp"

// Nodes of FastFlow for the operators of an application, and farms of them.

template <class Source, class Item> struct source_node : ff::ff_node_t<Item> {
  Item* svc(Item*) override {
    auto item = std::make_unique<Item>();
    return Source::op(*item) ? item.release() : this->EOS;
  }
};

template <class Operator, class Item> struct stage_node : ff::ff_node_t<Item> {
  Item* svc(Item* item) override {
    Operator::op(*item);
    return item;
  }
};

// Behind what keeps the order of the stream.
template <class Sink, class Item> struct sink_node : ff::ff_node_t<Item> {
  Item* svc(Item* item) override {
    const std::unique_ptr<Item> owner(item);
    Sink::op(*item);
    return this->GO_ON;
  }
};

// Farms without a gatherer of their own give items as they are done.
template <class Sink, class Item> struct ordering_sink_node : ff::ff_minode_t<Item> {
  Item* svc(Item* item) override {
    early.put(std::unique_ptr<Item>(item));
    while (const auto due = early.next()) Sink::op(*due);
    return this->GO_ON;
  }
  in_order<Item> early;
};

// A farm without collector: its workers send straight to the next stage.
template <class Operator, class Item> std::unique_ptr<ff::ff_farm> farm_of(int workers) {
  auto farm = std::make_unique<ff::ff_farm>();
  std::vector<ff::ff_node*> all;
  for (int i = 0; i < workers; ++i) all.push_back(new stage_node<Operator, Item>);  // FastFlow's own way:
  farm->add_workers(all);
  farm->cleanup_workers();  // the farm deletes them
  farm->set_scheduling_ondemand();
  return farm;
}
