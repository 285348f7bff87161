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
