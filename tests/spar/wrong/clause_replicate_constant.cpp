// A constant that is 0.
#include "items.hpp"

void run() {
  const int none = 0;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate(none)]] write(img);
  }
}
