#include <primes.hpp>

#include "bench/support/dsparlib_farm.hpp"

void travel(dsparlib_letter& by, apps::primes::candidate& one) {
  by.value(one.number);
  by.value(one.prime);
}

int main(int argc, char* argv[]) {
  init_dsparlib(argc, argv);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  dsparlib_farm<spb::Item, spb::Source, spb::Sink>(farm_order::any, spb::Primality::op);
  spb::Metrics::stop();
  spb::end_bench();
}
