// A static variable of the stage.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Output(img), spar::Replicate()]] {
      static int number = 0;
      img.width = ++number;
    }
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}

// expect: 9:21: error: stage 1 is replicated, and its replicas all change 'number': a static variable is one for all of them
// expect: 9:21: note: make it a std::atomic, lock a mutex around it, or give each item its part as an Output and add them in a serial stage
