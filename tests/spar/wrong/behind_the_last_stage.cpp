// A statement behind the last stage reads what a stage gives.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Output(img)]] { img = filter(img); }
    [[spar::Stage, spar::Input(img), spar::Output(img)]] sharpen(img);
    write(img);
  }
}
