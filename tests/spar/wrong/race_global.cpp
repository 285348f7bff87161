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

// expect: 13:7: error: stage 1 is replicated, and its replicas all change 'done' in 'note', which is neither an Output nor declared in the stage
// expect: 13:7: note: make it a std::atomic, lock a mutex around it, or give each item its part as an Output and add them in a serial stage
