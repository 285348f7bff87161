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

// expect: 9:62: error: stage 1 is replicated, and its replicas all change 'seen_', which is neither an Output nor declared in the stage
// expect: 9:62: note: make it a std::atomic, lock a mutex around it, or give each item its part as an Output and add them in a serial stage
