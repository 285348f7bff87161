// An Input that the stage does not read.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img, i)]] write(img);
  }
}

// expect: 7:37: warning: 'i' is an Input of stage 1, which does not read it
// expect: 7:37: note: leave it out: what later stages need passes by without it
