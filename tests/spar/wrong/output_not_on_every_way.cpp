// An Output that is set only sometimes.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    int width = 0;
    [[spar::Stage, spar::Input(img), spar::Output(width)]] {
      if (good(img)) width = count(img);
    }
    [[spar::Stage, spar::Input(width)]] show(width);
  }
}

// expect: 8:51: error: stage 1 does not give its Output 'width' a value on every way
// expect: 8:51: note: make it an Input, too: then an item keeps the value that it has
// fixed: nothing
