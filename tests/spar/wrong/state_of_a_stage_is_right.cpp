// A serial stage that keeps a sum.
#include "items.hpp"

void run() {
  int sum = 0;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Output(sum)]] { sum += count(img); }
    [[spar::Stage, spar::Input(sum)]] show(sum);
  }
}
