// What is shared is moved away.
#include <string>
#include <utility>

#include "items.hpp"

void take(std::string name);

void run() {
  std::string name = "a";
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img)]] {
      take(std::move(name));
      write(img);
    }
  }
}

// expect: 14:22: warning: 'name' is shared, and empty for all later items once stage 1 has moved it
// expect: 14:22: note: copy it, or make it an Input
