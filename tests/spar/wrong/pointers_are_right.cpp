// Each item has a pointer of its own.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    auto* img = new image(read(i));
    [[spar::Stage, spar::Input(img), spar::Replicate()]] { img->width = 1; }
    [[spar::Stage, spar::Input(img)]] {
      write(*img);
      delete img;
    }
  }
}
