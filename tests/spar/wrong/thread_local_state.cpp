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
