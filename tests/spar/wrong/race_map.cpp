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
