// The head of the loop reads what a stage changes.
#include "items.hpp"

void run() {
  bool done = false;
  [[spar::ToStream]] for (int i = 0; !done; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img)]] {
      write(img);
      done = count(img) > 3;
    }
  }
}

// expect: 6:39: error: the source reads 'done', which stage 1 changes: the source is ahead of the stages
// expect: 10:7: note: it is changed here
// expect: 6:39: note: compute it in the source, or put what needs it into the stage
