// An Output that the stage only reads.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    int width = read(i).width;
    [[spar::Stage, spar::Output(width)]] { show(width); }
    [[spar::Stage, spar::Input(width)]] show(width);
  }
}

// expect: 7:33: error: 'width' is an Output of stage 1, which gives it no value
// expect: 7:33: note: the stage only reads it: make it an Input
