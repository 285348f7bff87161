// Two numbers of replicas.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate(2, 3)]] write(img);
  }
}

// expect: 7:38: error: 'Replicate' takes one number
// expect: 7:38: note: write one expression, or nothing
