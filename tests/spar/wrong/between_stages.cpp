// A statement between stages.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Output(img)]] { img = filter(img); }
    show(i);
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}
