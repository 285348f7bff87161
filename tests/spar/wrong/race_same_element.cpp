// All items write the same element.
#include <vector>

#include "items.hpp"

void run() {
  std::vector<int> all(10);
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate()]] { all[0] = count(img); }
  }
}

// expect: 10:60: error: stage 1 is replicated, and its replicas all change 'all', which is neither an Output nor declared in the stage
// expect: 10:60: note: write an element that an Input picks, write it in a serial stage behind this one, or lock a mutex
