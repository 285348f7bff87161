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

// expect: 9:33: error: stage 1 is replicated, and its replicas all change 'done', which is neither an Output nor declared in the stage
// expect: 9:33: note: make it a std::atomic, lock a mutex around it, or give each item its part as an Output and add them in a serial stage
