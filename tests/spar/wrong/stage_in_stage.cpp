// A stage directly within a stage.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img)]] {
      [[spar::Stage, spar::Input(img)]] write(img);
    }
  }
}
