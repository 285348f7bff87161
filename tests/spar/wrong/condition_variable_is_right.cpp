// The variable of the condition is new in each round.
#include "items.hpp"

int next();

void run() {
  [[spar::ToStream]] while (int number = next()) {
    if (number == 3) continue;
    [[spar::Stage, spar::Input(number), spar::Output(number)]] number += 2;
    [[spar::Stage, spar::Input(number)]] show(number);
  }
}
