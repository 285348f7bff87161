// No rank.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), thalweg::On()]] write(img);
  }
}

// expect: 7:38: error: 'On' takes one argument
// expect: 7:38: note: as in thalweg::On(1) or thalweg::On("host")
