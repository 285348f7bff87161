// A thread_local variable of a replicated stage.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Output(img), spar::Replicate()]] {
      thread_local int number = 0;
      img.width = ++number;
    }
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}

// expect: 8:24: warning: 'number' is one for each thread, not for each replica of stage 1
// expect: 8:24: note: replicas share threads, and may change them: keep state elsewhere
