#include <primes.hpp>

#include "bench/support/chunk.hpp"

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  [[spar::ToStream]] while (true) {
    chunk<spb::Item> some;
    if (!some.take<spb::Source>()) break;
    [[spar::Stage, spar::Input(some), spar::Output(some), spar::Replicate(spb::nthreads),
      thalweg::Unordered]] {
      some.apply<spb::Primality>();
    }
    [[spar::Stage, spar::Input(some)]] some.apply<spb::Sink>();
  }
  spb::Metrics::stop();
  spb::end_bench();
}
