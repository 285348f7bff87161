// A sum as the Output of a replicated stage.
#include "items.hpp"

void run() {
  int sum = 0;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img, sum), spar::Output(sum), spar::Replicate()]] { sum += count(img); }
    [[spar::Stage, spar::Input(sum)]] show(sum);
  }
}
