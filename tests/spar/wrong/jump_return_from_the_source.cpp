// Return out of the source.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    if (!good(img)) return;
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}

// expect: 7:21: error: 'return' leaves the stream
// expect: 7:21: note: end the stream with 'break', and return behind it
