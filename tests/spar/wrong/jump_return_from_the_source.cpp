// Return out of the source.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    if (!good(img)) return;
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}
