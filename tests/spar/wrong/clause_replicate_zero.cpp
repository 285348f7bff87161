// No replica.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate(0)]] write(img);
  }
}

// expect: 7:54: error: 'Replicate(0)': it must be at least 1
// expect: 7:54: note: leave the clause out for a serial stage; without a number, the environment variable SPAR_NUM_WORKERS says how many
