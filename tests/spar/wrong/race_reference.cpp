// A reference to what all items share.
#include "items.hpp"

void run(int& total) {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate()]] { total += count(img); }
  }
}
