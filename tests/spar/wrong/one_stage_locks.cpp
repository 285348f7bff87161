// Only one of two stages locks the mutex.
#include <mutex>

#include "items.hpp"

void run() {
  std::mutex mutex;
  int total = 0;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Output(img)]] {
      img = filter(img);
      std::scoped_lock locked(mutex);
      ++total;
    }
    [[spar::Stage, spar::Input(img)]] {
      write(img);
      show(total);
    }
  }
}

// expect: 18:12: error: stage 2 reads 'total', which stage 1 changes at the same time
// expect: 14:9: note: it is changed here
// expect: 18:12: note: put both into one stage, let it travel as an Output and an Input, or lock a mutex around both
