// A constant that is 0.
#include "items.hpp"

void run() {
  const int none = 0;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate(none)]] write(img);
  }
}

// expect: 8:54: error: 'Replicate(none)': it must be at least 1
// expect: 8:54: note: leave the clause out for a serial stage; without a number, the environment variable SPAR_NUM_WORKERS says how many
