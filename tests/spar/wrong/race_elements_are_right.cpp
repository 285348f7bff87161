// Each item writes an element of its own.
#include <vector>

#include "items.hpp"

void run() {
  std::vector<int> all(10), pixels(40);
  int* raw = new int[40];
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img, i), spar::Replicate()]] {
      all[i] = count(img);
      const int row = i * 4;
      for (int k = 0; k < 4; ++k) pixels[row + k] = img.pixels[k];
      raw[row] = img.width;
    }
  }
}
