// A text in place of a number.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate("4")]] write(img);
  }
}

// expect: 7:54: error: 'Replicate("4")': it must be a whole number
// expect: 7:54: note: write an expression whose value is 1 or more
