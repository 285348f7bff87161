// An Output that the stage only reads.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    int width = read(i).width;
    [[spar::Stage, spar::Output(width)]] { show(width); }
    [[spar::Stage, spar::Input(width)]] show(width);
  }
}
