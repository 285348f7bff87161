// A variable from before the loop that each round sets anew.
#include "items.hpp"

void run() {
  image img;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    img = read(i);
    [[spar::Stage, spar::Input(img), spar::Output(img), spar::Replicate()]] { img = filter(img); }
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}
