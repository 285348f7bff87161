// A stage reads what a later one changes.
#include "items.hpp"

void run() {
  int level = 0;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img, level), spar::Output(img)]] {
      img = filter(img);
      img.width += level;
    }
    [[spar::Stage, spar::Input(img), spar::Output(level)]] {
      write(img);
      level = count(img);
    }
  }
}

// expect: 10:20: error: stage 1 reads 'level', which stage 2 changes for the item before: that stage works at the same time
// expect: 14:7: note: it is changed here; put both into one stage
