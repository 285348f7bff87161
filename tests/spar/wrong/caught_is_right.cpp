// An exception that the stage catches.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate()]] {
      try {
        if (!good(img)) throw 1;
        write(img);
      } catch (int) {
        show(-1);
      }
    }
  }
}
