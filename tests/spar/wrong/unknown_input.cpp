// A name that is not declared.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(imgs)]] write(img);
  }
}

// expect: 7:32: error: 'imgs' of 'Input' is not declared here
// expect: 7:32: note: name a variable that is declared before this statement
