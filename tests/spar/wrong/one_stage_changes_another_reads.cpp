// A stage changes what another one reads.
#include "items.hpp"

void run() {
  int total = 0;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Output(img)]] {
      img = filter(img);
      ++total;
    }
    [[spar::Stage, spar::Input(img)]] {
      write(img);
      show(total);
    }
  }
}

// expect: 14:12: error: stage 2 reads 'total', which stage 1 changes at the same time
// expect: 10:9: note: it is changed here
// expect: 14:12: note: put both into one stage, let it travel as an Output and an Input, or lock a mutex around both
