// Continue of a loop around the stream.
#include "items.hpp"

void run() {
  for (int i = 0; i < 10; ++i) {
    [[spar::ToStream]] {
      image img = read(i);
      if (!good(img)) continue;
      [[spar::Stage, spar::Input(img)]] write(img);
    }
  }
}
