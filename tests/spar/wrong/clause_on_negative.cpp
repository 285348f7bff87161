// A rank that cannot be.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), thalweg::On(-1)]] write(img);
  }
}

// expect: 7:50: error: 'On(-1)' is neither a rank nor a host
// expect: 7:50: note: a rank is a whole number from 0; a host is a text, as in thalweg::On("node1")
