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
