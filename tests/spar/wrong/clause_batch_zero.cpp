// Batches of no item.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), thalweg::Batch(0)]] write(img);
  }
}

// expect: 7:53: error: 'Batch(0)': it must be at least 1
// expect: 7:53: note: write an expression whose value is 1 or more
