// A number of replicas that is a fraction.
#include "items.hpp"

void run(double share) {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Replicate(share)]] write(img);
  }
}
