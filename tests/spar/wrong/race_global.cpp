// A global variable, changed in a function that the stage calls.
#include "items.hpp"

int done = 0;

void note() { done += 1; }

void run(int workers) {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate(workers)]] {
      write(img);
      note();
    }
  }
}
