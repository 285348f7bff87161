// A variable of the loop that is not an Input.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Output(img)]] { img = filter(img); }
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}
