// An Input is missing beside another one.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img)]] {
      write(img);
      show(i);
    }
  }
}

// expect: 9:12: error: stage 1 reads 'i', a variable of the stream, which is not its Input
// expect: 7:5: note: add it to the Input
// fixed: nothing
