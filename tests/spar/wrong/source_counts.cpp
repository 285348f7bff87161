// A variable from before the loop that the source changes.
#include "items.hpp"

void run() {
  int number = 0;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    number += 2;
    [[spar::Stage, spar::Input(img)]] {
      write(img);
      show(number);
    }
  }
}

// expect: 11:12: error: stage 1 reads 'number', which the source changes for each item, but it is not its Input
// expect: 9:5: note: add it to the Input
// expect: 8:5: note: the source changes it here
// fixed: nothing
