// A shared object for a function that may change it.
#include "items.hpp"

void run() {
  image kernel;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Output(img), spar::Replicate()]] {
      sharpen(kernel);
      img = filter(img);
    }
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}
