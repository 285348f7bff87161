// A variable of the loop that is not an Input.
#include "items.hpp"

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Output(img)]] { img = filter(img); }
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}

// expect: 7:55: error: stage 1 reads 'img', a variable of the stream, which is not its Input
// expect: 7:5: note: add it to the Input
// fixed: nothing
