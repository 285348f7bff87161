// Goto out of a stage.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img)]] {
      if (!good(img)) goto out;
      write(img);
    }
  }
out:
  show(1);
}

// expect: 8:23: error: 'goto' leaves stage 1
// expect: 8:23: note: other items are in the stream at the same time: keep the result in an Output, and use it behind the stream
