// A batch of nothing.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), thalweg::Batch()]] write(img);
  }
}

// expect: 7:38: error: 'Batch' takes a number of items, and a time in milliseconds
// expect: 7:38: note: as in thalweg::Batch(64, 10)
