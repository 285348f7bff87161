// A fraction of a replica.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate(2.5)]] write(img);
  }
}

// expect: 7:54: error: 'Replicate(2.5)': it must be a whole number
// expect: 7:54: note: write an expression whose value is 1 or more
