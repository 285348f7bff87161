// A clause whose last argument is missing.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img, )]] write(img);
  }
}

// expect: 7:37: error: 'Input' has an empty argument
// expect: 7:37: note: name a variable between the commas
