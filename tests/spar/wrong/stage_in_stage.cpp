// A stage directly within a stage.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img)]] {
      [[spar::Stage, spar::Input(img)]] write(img);
    }
  }
}

// expect: 8:7: error: a stage inside a stage
// expect: 8:7: note: put it behind the other one, or put spar::ToStream on a loop inside the stage
