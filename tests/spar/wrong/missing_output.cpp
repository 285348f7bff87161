// A change that a later stage does not get.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate()]] { img = filter(img); }
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}

// expect: 7:60: error: stage 1 changes 'img', which stage 2 reads, but it is not its Output
// expect: 7:5: note: add it to the Output
// expect: 8:45: note: it is read here
// fixed: nothing
