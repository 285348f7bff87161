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
