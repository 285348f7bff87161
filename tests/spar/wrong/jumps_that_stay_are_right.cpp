// Jumps that stay in the source or in a stage.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    if (!good(img)) break;
    if (img.width > 5) continue;
    [[spar::Stage, spar::Input(img), spar::Output(img)]] {
      if (img.width == 0) continue;
      for (int& each : img.pixels) {
        if (each == 0) break;
        each = [](int value) { return value + 1; }(each);
      }
      switch (img.width) {
        case 1:
          img.width = 2;
          break;
        default:
          break;
      }
    }
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}
