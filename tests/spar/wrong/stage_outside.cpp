// A stage outside a stream.
#include "items.hpp"

void run() {
  image img = read(0);
  [[spar::Stage, spar::Input(img)]] write(img);
}
