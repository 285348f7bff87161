// Elements that share bytes.
#include <vector>

#include "items.hpp"

void run() {
  std::vector<bool> all(10);
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img, i), spar::Replicate()]] { all[i] = good(img); }
  }
}
