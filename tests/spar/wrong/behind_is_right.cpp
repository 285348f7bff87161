// A statement behind the last stage that only counts.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10;) {
    image img = read(i);
    [[spar::Stage, spar::Input(img)]] write(img);
    ++i;
  }
}
