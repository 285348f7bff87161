// Order of a serial stage.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), thalweg::Unordered]] write(img);
  }
}

// expect: 7:38: error: 'Unordered' is of use in a replicated stage only
// expect: 7:38: note: add spar::Replicate, or leave the clause out
