// The variable of the loop is new in each round.
#include "items.hpp"

void run(const image (&all)[3]) {
  [[spar::ToStream]] for (image img : all) {
    if (!good(img)) continue;
    [[spar::Stage, spar::Input(img), spar::Output(img), spar::Replicate()]] img = filter(img);
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}
