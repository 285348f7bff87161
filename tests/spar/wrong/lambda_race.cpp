// A race in a lambda that the stage calls.
#include "items.hpp"

void run() {
  int done = 0;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate()]] {
      const auto note = [&] { ++done; };
      note();
      write(img);
    }
  }
}
