// A shared counter.
#include "items.hpp"

void run(int workers) {
  int done = 0;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Output(img), spar::Replicate(workers)]] {
      img = filter(img);
      ++done;
    }
    [[spar::Stage, spar::Input(img)]] { write(img); }
  }
  show(done);
}

// expect: 10:9: error: stage 1 is replicated, and its replicas all change 'done', which is neither an Output nor declared in the stage
// expect: 10:9: note: make it a std::atomic, lock a mutex around it, or give each item its part as an Output and add them in a serial stage
