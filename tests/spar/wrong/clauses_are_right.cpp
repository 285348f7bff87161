// All clauses, with good arguments.
#include "items.hpp"

void run(int workers) {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Output(img), spar::Replicate(workers), thalweg::Unordered]] { img = filter(img); }
    [[spar::Stage, spar::Input(img), spar::Output(img), thalweg::Adaptive(1, 8), thalweg::KeyBy(img.width)]] sharpen(img);
    [[spar::Stage, spar::Input(img), thalweg::Batch(8, 10)]] write(img);
  }
}
