// An Output that is set only sometimes.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    int width = 0;
    width += i;
    [[spar::Stage, spar::Input(img), spar::Output(width)]] {
      if (good(img)) width = count(img);
    }
    [[spar::Stage, spar::Input(width)]] show(width);
  }
}
