// A stage outside a stream.
#include "items.hpp"

void run() {
  image img = read(0);
  [[spar::Stage, spar::Input(img)]] write(img);
}

// expect: 6:3: error: a stage outside a stream
// expect: 6:3: note: put spar::ToStream on the loop whose rounds are the items
