#include <memory>
#include <utility>
#include <vector>

#include <ff/ff.hpp>
#include <primes.hpp>

#include "bench/support/chunk.hpp"

using numbers = chunk<spb::Item>;

struct source : ff::ff_node_t<numbers> {
  numbers* svc(numbers*) override {
    auto some = std::make_unique<numbers>();
    return some->take<spb::Source>() ? some.release() : EOS;
  }
};

struct sink : ff::ff_node_t<numbers> {
  numbers* svc(numbers* some) override {
    const std::unique_ptr<numbers> owner(some);
    some->apply<spb::Sink>();
    return GO_ON;
  }
};

struct worker : ff::ff_node_t<numbers> {
  numbers* svc(numbers* some) override {
    some->apply<spb::Primality>();
    return some;
  }
};

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  std::vector<std::unique_ptr<ff::ff_node>> workers;
  for (int i = 0; i < spb::nthreads; ++i) workers.push_back(std::make_unique<worker>());
  ff::ff_Farm<numbers> farm(std::move(workers));
  source first;
  sink last;
  farm.add_emitter(first);
  farm.add_collector(last);
  farm.set_scheduling_ondemand();
  if (farm.run_and_wait_end() < 0) ff::error("running the farm\n");
  spb::Metrics::stop();
  spb::end_bench();
}
