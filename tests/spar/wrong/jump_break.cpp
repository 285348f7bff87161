// Break out of a stage.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img)]] {
      if (!good(img)) break;
      write(img);
    }
  }
}

// expect: 8:23: error: 'break' leaves stage 1
// expect: 8:23: note: the source is ahead of the stages: let it end the stream; 'continue' leaves out the rest of an item
