// The head of the loop reads what a stage changes.
#include "items.hpp"

void run() {
  bool done = false;
  [[spar::ToStream]] for (int i = 0; !done; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img)]] {
      write(img);
      done = count(img) > 3;
    }
  }
}
