// An Output that is not an Input, although the source has given it a value.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    int width = 0;
    if (good(img)) width = 3;
    [[spar::Stage, spar::Input(img), spar::Output(width), spar::Replicate()]] {
      for (int each : img.pixels) width += each;
    }
    [[spar::Stage, spar::Input(width)]] show(width);
  }
}
