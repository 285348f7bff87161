// One operator per replica: `per_replica` takes a factory, and each replica makes its own operator with it.
//
// For what must not be shared and need not be: buffers, models, connections. The factory is called on the
// thread that first uses the replica. Which replica takes which item is not defined, so results must not
// depend on it: keep scratch space in there, never a running total.
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <cstddef>
#include <iostream>
#include <numeric>
#include <ranges>
#include <vector>

namespace tw = thalweg;

std::atomic<int> made{0};

/// Counts the primes below a number. The sieve is kept from item to item, so that its memory is allocated
/// once.
class prime_counter {
 public:
  prime_counter() { ++made; }

  int operator()(int below) {
    sieve_.assign(static_cast<std::size_t>(below), true);
    int found = 0;
    for (int i = 2; i < below; ++i) {
      if (!sieve_[static_cast<std::size_t>(i)]) continue;
      ++found;
      for (int k = 2 * i; k < below; k += i) sieve_[static_cast<std::size_t>(k)] = false;
    }
    return found;
  }

 private:
  std::vector<bool> sieve_;
};

int main() {
  std::vector<int> counts;

  auto job = tw::source(std::views::iota(1, 301)) | tw::map([](int i) { return 100 * i; }) |
             tw::farm(tw::per_replica([] { return prime_counter{}; }), {.replicas = 4, .name = "count"}) |
             tw::sink(counts);
  tw::run(job);

  std::cout << counts.front() << " primes below 100, " << counts.back() << " below 30000, " << made
            << " operators made\n";
  // At most as many as were allowed; fewer if fewer workers came to the farm.
  return counts.front() == 25 && counts.back() == 3'245 && made >= 1 && made <= 4 ? 0 : 1;
}
