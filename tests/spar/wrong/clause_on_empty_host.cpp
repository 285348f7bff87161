// A host without a name.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), thalweg::On("")]] write(img);
  }
}

// expect: 7:50: error: 'On' has an empty name of a host
// expect: 7:50: note: write a rank, or the name of a host
