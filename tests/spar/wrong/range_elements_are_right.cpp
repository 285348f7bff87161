// Each item is an element.
#include <vector>

#include "items.hpp"

void run(std::vector<image>& all) {
  [[spar::ToStream]] for (image& img : all) {
    [[spar::Stage, spar::Input(img), spar::Replicate()]] { img = filter(img); }
    [[spar::Stage, spar::Input(img)]] write(img);
  }
}
