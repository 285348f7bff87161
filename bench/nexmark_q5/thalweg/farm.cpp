#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstdint>

#include <nexmark_q5.hpp>

#include "bench/support/nexmark_events.hpp"
#include "bench/support/policy_asked.hpp"

namespace tw = thalweg;
using apps::nexmark::hot_item;
using namespace std::chrono_literals;

// The bids of an auction in the window that begins at this time.
struct candidate {
  std::uint64_t auction = 0;
  std::uint64_t bids = 0;
  std::chrono::milliseconds time{0};
  std::int64_t since = 0;
};

candidate candidate_of(const tw::keyed<std::uint64_t, tw::windowed<tally>>& of) {
  return {of.key, of.value.value.count, in_ms(of.value.begin), of.value.value.since};
}

void hottest(const tw::windowed<greatest<candidate>>& of, tw::emitter<spb::Result>& out) {
  of.value.for_each([&](const candidate& one) {
    out({hot_item{one.time, one.auction, one.bids}, of.value.since});
  });
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  const auto policy = policy_asked();
  spb::Metrics::init();
  // Windows give their results in the order of their ends, so those that began together follow each other.
  tw::run(tw::source(next_event) | tw::farm(tw::flat_map(bids)) | tw::key_by(&made_bid::auction) |
              tw::farm(tw::window(tw::sliding(10s, 2s), tally_of<made_bid>(), event_times<made_bid>())) |
              tw::map(candidate_of) |
              tw::window(tw::tumbling(2s), greatest_by<candidate>(&candidate::bids),
                         tw::event_time(&candidate::time)) |
              tw::flat_map(hottest) | tw::sink(write_result),
          policy);
  spb::Metrics::stop();
  spb::end_bench();
}
