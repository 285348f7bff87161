// The source and a stage change the same variable.
#include "items.hpp"

void run() {
  int last = 0;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    last = i;
    [[spar::Stage, spar::Input(img)]] {
      write(img);
      last = 0;
    }
  }
}

// expect: 11:7: error: stage 1 changes 'last', which the source changes at the same time
// expect: 8:5: note: the source changes it here
// expect: 11:7: note: make it an Input, and an Output if later stages need it
