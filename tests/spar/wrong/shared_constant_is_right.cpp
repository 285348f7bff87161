// What nothing changes needs no Input.
#include "items.hpp"

void run() {
  const image kernel;
  int size = 3;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Output(img), spar::Replicate()]] {
      img = filter(img);
      img.width += kernel.width + size;
    }
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}
