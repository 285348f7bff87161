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

/// Both sides are deleted by FastFlow.
inline std::unique_ptr<ff::ff_a2a> all_to_all_of(const std::vector<ff::ff_node*>& first,
                                                 const std::vector<ff::ff_node*>& second) {
  auto both = std::make_unique<ff::ff_a2a>();
  both->add_firstset(first, 1, true);  // on demand
  both->add_secondset(second, true);
  return both;
}

template <class First, class Second, class Item> std::unique_ptr<ff::ff_a2a> all_to_all_of(int workers) {
  return all_to_all_of(spreading_workers<First, Item>(workers), spreading_workers<Second, Item>(workers));
}

/// The last of the stages has the sink, or is it.
template <class Source, class Item, class... Stages>
void run_all_to_all(const std::unique_ptr<Stages>&... stages) {
  spreading_source_node<Source, Item> first;
  ff::ff_pipeline pipe;
  pipe.add_stage(&first);
  (pipe.add_stage(stages.get()), ...);
  if (pipe.run_and_wait_end() < 0) ff::error("running the pipeline\n");
}
