// An exception that leaves a replicated stage.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate()]] {
      if (!good(img)) throw 1;
      write(img);
    }
  }
}
