// A container that all replicas fill.
#include <vector>

#include "items.hpp"

void run() {
  std::vector<int> all;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate()]] { all.push_back(count(img)); }
  }
}

// expect: 10:60: error: stage 1 is replicated, and its replicas all change 'all', which is neither an Output nor declared in the stage
// expect: 10:60: note: change it in a serial stage behind this one, which gets what it needs as its Input, or lock a mutex around it
