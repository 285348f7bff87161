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

// expect: 11:9: error: stage 1 is replicated, and its replicas all change 'done', which is neither an Output nor declared in the stage
// expect: 11:9: note: make it a std::atomic, lock a mutex around it, or give each item its part as an Output and add them in a serial stage
