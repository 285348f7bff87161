// An exception that leaves the source.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    if (!good(img)) throw img.width;
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}

// expect: 7:21: warning: this exception leaves the stream
// expect: 7:21: note: it comes when all items before it are done, as from the loop; catch it in the same statement if the stream is to go on
