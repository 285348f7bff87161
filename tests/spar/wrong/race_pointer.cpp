// What a shared pointer points to.
#include "items.hpp"

void run() {
  image* last = new image;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate()]] { last->width = count(img); }
  }
}

// expect: 8:60: error: stage 1 is replicated, and its replicas all change what 'last' points to, which they share
// expect: 8:60: note: change it in a serial stage behind this one, which gets what it needs as its Input, or lock a mutex around it
