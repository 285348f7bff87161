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

// expect: 9:15: warning: the replicas of stage 1 all give 'kernel', which they share, to 'sharpen', which may change it
// expect: 9:15: note: if it only reads, let it take a reference to const; otherwise make it an Output, or lock a mutex around the call
