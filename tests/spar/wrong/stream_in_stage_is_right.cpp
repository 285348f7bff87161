// A stream within a stage.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img)]] {
      [[spar::ToStream]] for (int k = 0; k < 4; ++k) {
        int pixel = img.pixels[k];
        [[spar::Stage, spar::Input(pixel)]] show(pixel);
      }
    }
  }
}
