// A stream without a stage.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    write(img);
  }
}

// expect: 5:3: error: a stream without a stage
// expect: 5:3: note: put spar::Stage on a statement inside it
