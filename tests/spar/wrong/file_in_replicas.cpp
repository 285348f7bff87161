// All replicas write to the same file.
#include <fstream>

#include "items.hpp"

void run() {
  std::ofstream out("out");
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate()]] { out << img.width << '\n'; }
  }
}
