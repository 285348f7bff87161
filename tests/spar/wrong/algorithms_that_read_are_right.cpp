// Algorithms and functions that only read.
#include <numeric>
#include <vector>

#include "items.hpp"

void run() {
  std::vector<int> all(10);
  table known;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Output(img), spar::Replicate()]] {
      img.width = std::accumulate(all.begin(), all.end(), 0) + static_cast<int>(all.size()) + known.find(1);
      for (const int each : all) img.width += each;
    }
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}
