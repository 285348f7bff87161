// A race in a template.
#include "items.hpp"

template <class Item>
void run(int workers) {
  int done = 0;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    Item item = static_cast<Item>(i);
    [[spar::Stage, spar::Input(item), spar::Replicate(workers)]] {
      show(item);
      ++done;
    }
  }
}

void all() { run<int>(2); }
