// A stage changes the variable that the loop counts.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    [[spar::Stage, spar::Input(i), spar::Output(i)]] i += 2;
    [[spar::Stage, spar::Input(i)]] show(i);
  }
}

// expect: 5:38: error: the source reads 'i', which stage 1 changes: the source is ahead of the stages
// expect: 6:54: note: it is changed here
// expect: 5:38: note: compute it in the source, or put what needs it into the stage
