// A clause that is only begun.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::]] write(img);
  }
}

// clang-format off
// expect: 7:38: error: unknown clause 'spar::'
// expect: 7:38: note: SPar has ToStream, Stage, Input, Output and Replicate; Thalweg adds Unordered, Batch, KeyBy, Adaptive, On and Blocking
