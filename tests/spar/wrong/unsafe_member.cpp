// A function that is not const, on a shared object.
#include "items.hpp"

void run() {
  table known;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate()]] { known.add(count(img)); }
  }
}
