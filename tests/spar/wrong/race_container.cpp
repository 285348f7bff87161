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
