// An Output that is not an Input begins with the value that it is declared with.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    int width = 0, rows = 1;
    [[spar::Stage, spar::Input(img), spar::Output(width, rows), spar::Replicate()]] {
      for (int each : img.pixels) width += each;
      if (good(img)) rows = 2;
    }
    [[spar::Stage, spar::Input(width, rows)]] show(width + rows);
  }
}
