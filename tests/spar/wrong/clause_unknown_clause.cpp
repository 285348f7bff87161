// A clause that does not exist.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicat(3)]] write(img);
  }
}

// expect: 7:38: error: unknown clause 'spar::Replicat'
// expect: 7:38: note: did you mean 'spar::Replicate'?
