// A statement between stages.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Output(img)]] { img = filter(img); }
    show(i);
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}

// expect: 9:5: error: this stage does not directly follow the stage before it
// expect: 9:5: note: stages stand one behind the other in one block; put what stands between them into a stage
