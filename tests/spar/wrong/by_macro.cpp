// An attribute that a macro makes.
#include "items.hpp"

#define STAGE [[spar::Stage, spar::Input(img)]]

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    STAGE write(img);
  }
}
