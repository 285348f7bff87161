// What a stage uses and does not name is shared: tables that nobody changes, atomic counters, locks, globals.
#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

const std::vector<std::string> names{"zero", "one", "two", "three"};
std::atomic<int> calls = 0;
int written = 0;
static long sum_of_all = 0;

int main() {
  std::mutex guard;
  std::vector<int> table{5, 6, 7, 8};
  int even = 0;
  [[spar::ToStream]] for (int i = 0; i < 100; i++) {
    std::string name;
    [[spar::Stage, spar::Input(i), spar::Output(name), spar::Replicate(3)]] {
      name = names[static_cast<std::size_t>(i) % names.size()] +
             std::to_string(table[static_cast<std::size_t>(i) % 4]);
      calls++;
      if (i % 2 == 0) {
        const std::lock_guard lock(guard);
        even++;
      }
    }
    [[spar::Stage, spar::Input(i, name), spar::Output(written, sum_of_all)]] {
      written++;
      sum_of_all += i;
      if (i % 10 == 0) {
        std::puts(name.c_str());
      }
    }
  }
  std::printf("%d %d %d %ld\n", calls.load(), even, written, sum_of_all);
  return 0;
}
