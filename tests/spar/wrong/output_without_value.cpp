// An Output that the stage does not set.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    int width = 0;
    [[spar::Stage, spar::Input(img), spar::Output(width)]] { write(img); }
    [[spar::Stage, spar::Input(width)]] show(width);
  }
}
