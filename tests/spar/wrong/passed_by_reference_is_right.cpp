// A function gets an Output by reference, and may read what the source has put there: that travels.
#include "items.hpp"

void convert(const image& from, image& to);

void run() {
  image outer;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    image resized;
    resized.width = img.width;
    outer = img;
    [[spar::Stage, spar::Input(img), spar::Output(resized, outer), spar::Replicate()]] {
      convert(img, resized);
      convert(img, outer);
    }
    [[spar::Stage, spar::Input(resized, outer)]] {
      write(resized);
      write(outer);
    }
  }
}

// expect: nothing
