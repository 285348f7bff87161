// [] of a map puts in what it does not find.
#include <map>

#include "items.hpp"

void run() {
  std::map<int, int> all;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img, i), spar::Replicate()]] { all[i] = count(img); }
  }
}

// expect: 10:63: error: stage 1 is replicated, and its replicas all change 'all', which is neither an Output nor declared in the stage
// expect: 10:63: note: change it in a serial stage behind this one, which gets what it needs as its Input, or lock a mutex around it
