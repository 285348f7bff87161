// What another stage gives must be an Input.
#include "items.hpp"

void run() {
  int level = 0;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Output(level)]] level = count(img);
    [[spar::Stage, spar::Input(img)]] {
      write(img);
      show(level);
    }
  }
}

// expect: 11:12: error: stage 2 reads 'level', which stage 1 gives, but it is not its Input
// expect: 9:5: note: add it to the Input
// fixed: nothing
