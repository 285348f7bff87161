// A member of the object around.
#include "items.hpp"

class camera {
 public:
  void run() {
    [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
      image img = read(i);
      [[spar::Stage, spar::Input(img), spar::Replicate()]] { seen_ += count(img); }
    }
  }

 private:
  int seen_ = 0;
};

void all() { camera().run(); }
