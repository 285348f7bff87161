// A key that does not arrive.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate(), thalweg::KeyBy(i)]] write(img);
  }
}

// expect: 7:72: error: 'KeyBy' reads 'i', which is not an Input of stage 1
// expect: 7:72: note: add it to the Input
// fixed: nothing
