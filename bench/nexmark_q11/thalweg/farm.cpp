#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstdint>

#include <nexmark_q11.hpp>

#include "bench/support/nexmark_events.hpp"
#include "bench/support/policy_asked.hpp"

namespace tw = thalweg;
using apps::nexmark::user_session;
using namespace std::chrono_literals;

spb::Result result_of(const tw::keyed<std::uint64_t, tw::windowed<tally>>& of) {
  const auto& [count, since] = of.value.value;
  return {user_session{of.key, count, in_ms(of.value.begin), in_ms(of.value.end)}, since};
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  const auto policy = policy_asked();
  spb::Metrics::init();
  tw::run(tw::source(next_event) | tw::farm(tw::flat_map(bids)) | tw::key_by(&made_bid::bidder) |
              tw::farm(tw::window(tw::session(10s), tally_of<made_bid>(), event_times<made_bid>())) |
              tw::map(result_of) | tw::sink(write_result),
          policy);
  spb::Metrics::stop();
  spb::end_bench();
}
