// Two stages that lock the same mutex.
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
      std::unique_lock<std::mutex> locked(mutex);
      total += 2;
    }
  }
}
