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
