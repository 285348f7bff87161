// The source and a stage change the same variable.
#include "items.hpp"

void run() {
  int last = 0;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    last = i;
    [[spar::Stage, spar::Input(img)]] {
      write(img);
      last = 0;
    }
  }
}
