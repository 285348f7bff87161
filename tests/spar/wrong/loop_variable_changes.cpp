// A stage changes the variable that the loop counts.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    [[spar::Stage, spar::Input(i), spar::Output(i)]] i += 2;
    [[spar::Stage, spar::Input(i)]] show(i);
  }
}
