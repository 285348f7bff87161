#include <thalweg/thalweg.hpp>

#include <chrono>

#include <nexmark_q7.hpp>

#include "bench/support/nexmark_events.hpp"
#include "bench/support/policy_asked.hpp"

namespace tw = thalweg;
using apps::nexmark::highest_bid;
using namespace std::chrono_literals;

void highest(const tw::windowed<greatest<made_bid>>& of, tw::emitter<spb::Result>& out) {
  of.value.for_each([&](const made_bid& one) {
    out({highest_bid{in_ms(of.begin), one.auction, one.bidder, one.price, one.time}, of.value.since});
  });
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  const auto policy = policy_asked();
  spb::Metrics::init();
  tw::run(
      tw::source(next_events) | made_events(bids) |
          tw::window(tw::tumbling(10s), greatest_by<made_bid>(&made_bid::price), event_times<made_bid>()) |
          tw::flat_map(highest) | tw::sink(write_result),
      policy);
  spb::Metrics::stop();
  spb::end_bench();
}
