#pragma once

#include <memory>
#include <vector>

#include <ff/ff.hpp>

// Farms without emitters and collectors: each worker of one stage sends to all of the next. FastFlow takes
// them in pairs.

template <class Source, class Item> struct spreading_source_node : ff::ff_monode_t<Item> {
  Item* svc(Item*) override {
    auto item = std::make_unique<Item>();
    return Source::op(*item) ? item.release() : this->EOS;
  }
};

template <class Item> struct entrance_node : ff::ff_minode_t<Item> {
  Item* svc(Item* item) override { return item; }
};

template <class Operator, class Item> struct spreading_node : ff::ff_monode_t<Item> {
  Item* svc(Item* item) override {
    Operator::op(*item);
    return item;
  }
};

// A thread for each, which FastFlow deletes.
template <class Operator, class Item> std::vector<ff::ff_node*> spreading_workers(int number) {
  std::vector<ff::ff_node*> all;
  for (int i = 0; i < number; ++i)
    all.push_back(new ff::ff_comb(new entrance_node<Item>, new spreading_node<Operator, Item>, true, true));
  return all;
}

template <class First, class Second, class Item> std::unique_ptr<ff::ff_a2a> all_to_all_of(int workers) {
  auto both = std::make_unique<ff::ff_a2a>();
  both->add_firstset(spreading_workers<First, Item>(workers), 1, true);  // on demand
  both->add_secondset(spreading_workers<Second, Item>(workers), true);
  return both;
}
