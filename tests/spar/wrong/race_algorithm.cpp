// An algorithm that changes what is shared.
#include <algorithm>
#include <vector>

#include "items.hpp"

void run() {
  std::vector<int> all(10);
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate()]] {
      std::sort(all.begin(), all.end());
      write(img);
    }
  }
}

// expect: 12:17: error: stage 1 is replicated, and its replicas all change 'all', which is neither an Output nor declared in the stage
// expect: 12:17: note: write an element that an Input picks, write it in a serial stage behind this one, or lock a mutex
