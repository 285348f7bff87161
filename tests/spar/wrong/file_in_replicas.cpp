// All replicas write to the same file.
#include <fstream>

#include "items.hpp"

void run() {
  std::ofstream out("out");
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate()]] { out << img.width << '\n'; }
  }
}

// expect: 10:60: error: stage 1 is replicated, and its replicas all change 'out', which is neither an Output nor declared in the stage
// expect: 10:60: note: change it in a serial stage behind this one, which gets what it needs as its Input, or lock a mutex around it
