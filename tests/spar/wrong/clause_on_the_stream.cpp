// Replicate of a stream.
#include "items.hpp"

void run() {
  [[spar::ToStream, spar::Replicate(4)]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}
