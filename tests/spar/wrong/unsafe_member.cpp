// A function that is not const, on a shared object.
#include "items.hpp"

void run() {
  table known;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate()]] { known.add(count(img)); }
  }
}

// expect: 8:60: warning: the replicas of stage 1 all call 'add' on 'known', which they share: this is as safe as that function
// expect: 8:60: note: if it only reads, declare it const; if it changes its object, lock a mutex around the call, or call it in a serial stage
