// The variable of the loop is new in each round.
#include "items.hpp"

void run(const image (&all)[3]) {
  [[spar::ToStream]] for (image img : all) {
    if (!good(img)) continue;
    [[spar::Stage, spar::Input(img), spar::Output(img), spar::Replicate()]] img = filter(img);
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}

// expect: 6:15: error: the source reads 'img', which stage 1 changes: the source is ahead of the stages
// expect: 7:77: note: it is changed here
// expect: 6:15: note: compute it in the source, or put what needs it into the stage
