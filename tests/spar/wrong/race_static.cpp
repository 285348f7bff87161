// A static variable of the stage.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Output(img), spar::Replicate()]] {
      static int number = 0;
      img.width = ++number;
    }
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}
