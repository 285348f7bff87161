// The variable of the condition is new in each round.
#include "items.hpp"

int next();

void run() {
  [[spar::ToStream]] while (int number = next()) {
    if (number == 3) continue;
    [[spar::Stage, spar::Input(number), spar::Output(number)]] number += 2;
    [[spar::Stage, spar::Input(number)]] show(number);
  }
}

// expect: 7:33: error: the source reads 'number', which stage 1 changes: the source is ahead of the stages
// expect: 9:64: note: it is changed here
// expect: 7:33: note: compute it in the source, or put what needs it into the stage
