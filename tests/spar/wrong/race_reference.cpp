// A reference to what all items share.
#include "items.hpp"

void run(int& total) {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate()]] { total += count(img); }
  }
}

// expect: 7:60: error: stage 1 is replicated, and its replicas all change 'total', which is neither an Output nor declared in the stage
// expect: 7:60: note: make it a std::atomic, lock a mutex around it, or give each item its part as an Output and add them in a serial stage
