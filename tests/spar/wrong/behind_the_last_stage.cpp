// A statement behind the last stage reads what a stage gives.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Output(img)]] { img = filter(img); }
    [[spar::Stage, spar::Input(img), spar::Output(img)]] sharpen(img);
    write(img);
  }
}

// expect: 9:11: error: the source reads 'img', which stage 1 changes: the source is ahead of the stages
// expect: 7:60: note: it is changed here
// expect: 9:11: note: statements behind the last stage belong to the source: put this one into a stage
