// Two stages change the same variable.
#include "items.hpp"

void run() {
  int total = 0;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Output(img)]] {
      img = filter(img);
      ++total;
    }
    [[spar::Stage, spar::Input(img)]] {
      write(img);
      total += 2;
    }
  }
}
