// A stream in a template.
#include "items.hpp"

template <class Item>
Item pass(Item item) {
  return item;
}

template <class Item>
void run(int workers) {
  Item sum{};
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    Item item = static_cast<Item>(i);
    [[spar::Stage, spar::Input(item), spar::Output(item), spar::Replicate(workers)]] { item = pass(item + 1); }
    [[spar::Stage, spar::Input(item), spar::Output(sum)]] { sum += item; }
  }
}

void all() { run<int>(2); }
