// Lines of a replicated stage come in any order.
#include <iostream>

#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate()]] { std::cout << img.width << '\n'; }
  }
}
