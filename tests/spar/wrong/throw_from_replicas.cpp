// An exception that leaves a replicated stage.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate()]] {
      if (!good(img)) throw 1;
      write(img);
    }
  }
}

// expect: 8:23: warning: this exception leaves stage 1, and ends the stream
// expect: 8:23: note: it comes when all items before it are done, as from the loop; stages up to this one may have worked on items behind it; catch it in the same statement if the stream is to go on
