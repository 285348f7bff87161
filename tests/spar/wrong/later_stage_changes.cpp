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
