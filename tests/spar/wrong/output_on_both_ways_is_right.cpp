// An Output that both branches set.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    int width = 0;
    [[spar::Stage, spar::Input(img), spar::Output(width)]] {
      if (good(img)) {
        width = count(img);
      } else {
        width = -1;
      }
    }
    [[spar::Stage, spar::Input(width)]] show(width);
  }
}
