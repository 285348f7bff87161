// A literal as Input.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img, 3)]] write(img);
  }
}

// expect: 7:37: error: 'Input(3)': a literal is no variable
// expect: 7:37: note: literals need no clause: leave it out
