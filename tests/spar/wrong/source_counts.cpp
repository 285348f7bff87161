// A variable from before the loop that the source changes.
#include "items.hpp"

void run() {
  int number = 0;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    number += 2;
    [[spar::Stage, spar::Input(img)]] {
      write(img);
      show(number);
    }
  }
}
