// An Input and Output that is only passed on, as in SPar.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img, i), spar::Output(img, i)]] { img = filter(img); }
    [[spar::Stage, spar::Input(img, i)]] {
      write(img);
      show(i);
    }
  }
}
