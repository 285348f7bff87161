// Two stages change the same variable.
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
      total += 2;
    }
  }
}

// expect: 14:7: error: stages 1 and 2 both change 'total', and work at the same time
// expect: 10:9: note: it is changed here
// expect: 14:7: note: put both into one stage, let it travel as an Output and an Input, or lock a mutex around both
