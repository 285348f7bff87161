// The same key for all items.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate(), thalweg::KeyBy(3)]] write(img);
  }
}

// expect: 7:72: error: 'KeyBy(3)' is the same for all items
// expect: 7:72: note: name an Input of the stage, as in thalweg::KeyBy(user.id)
