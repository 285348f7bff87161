// What a shared pointer points to.
#include "items.hpp"

void run() {
  image* last = new image;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate()]] { last->width = count(img); }
  }
}
