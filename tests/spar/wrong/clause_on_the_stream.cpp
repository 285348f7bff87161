// Replicate of a stream.
#include "items.hpp"

void run() {
  [[spar::ToStream, spar::Replicate(4)]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}

// expect: 5:21: error: 'Replicate' belongs to a stage, not to a stream
// expect: 5:21: note: put it beside spar::Stage
