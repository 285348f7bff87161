// A variable of the loop that replicas set without an Output.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    int width;
    [[spar::Stage, spar::Input(img), spar::Replicate()]] {
      width = count(img);
      write(img);
    }
  }
}

// expect: 9:7: error: stage 1 is replicated, and its replicas all change 'width', which is neither an Output nor declared in the stage
// expect: 8:5: note: declare it in the stage, or add it to the Output
// fixed: nothing
