// A variable of the loop that replicas set without an Output.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    int width;
    [[spar::Stage, spar::Input(img), spar::Replicate()]] {
      width = count(img);
      write(img);
    }
  }
}
