// An atomic counter, a mutex.
#include <atomic>
#include <mutex>

#include "items.hpp"

void run(int workers) {
  std::atomic<int> done = 0;
  std::mutex mutex;
  int sum = 0;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    [[spar::Stage, spar::Input(img), spar::Output(img), spar::Replicate(workers)]] {
      img = filter(img);
      ++done;
      {
        std::lock_guard<std::mutex> locked(mutex);
        sum += img.width;
      }
      mutex.lock();
      --sum;
      mutex.unlock();
    }
    [[spar::Stage, spar::Input(img)]] { write(img); }
  }
}
