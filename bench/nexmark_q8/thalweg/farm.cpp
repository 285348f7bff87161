#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>

#include <nexmark_q8.hpp>

#include "bench/support/nexmark_events.hpp"
#include "bench/support/policy_asked.hpp"

namespace tw = thalweg;
using apps::nexmark::kind;
using apps::nexmark::new_seller;
using namespace std::chrono_literals;

// Someone who registers, or opens an auction; of a window, whether both.
struct arrival {
  std::uint64_t person = 0;
  std::chrono::milliseconds time{0};
  std::shared_ptr<const apps::nexmark::person> who;  // who registers
  bool sells = false;
  std::int64_t since = 0;
};

void arrivals(const spb::Item& item, tw::emitter<arrival>& out) {
  const auto& of = item.event();
  if (of.what == kind::person) out({of.person->id, of.time, of.person, false, item.timestamp});
  if (of.what == kind::auction) out({of.auction->seller, of.time, nullptr, true, item.timestamp});
}

arrival both(arrival a, const arrival& b) {
  if (!a.who) a.who = b.who;
  a.sells = a.sells || b.sells;
  a.since = std::max(a.since, b.since);
  return a;
}

void give_new_seller(const tw::keyed<std::uint64_t, tw::windowed<arrival>>& of,
                     tw::emitter<spb::Result>& out) {
  const auto& one = of.value.value;
  if (one.who && one.sells) out({new_seller{of.key, one.who->name, in_ms(of.value.begin)}, one.since});
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  const auto policy = policy_asked();
  spb::Metrics::init();
  const auto join = tw::aggregate([](const arrival& one) { return one; }, both);
  tw::run(tw::source(next_events) | made_events(arrivals) | tw::key_by(&arrival::person) |
              tw::window(tw::tumbling(10s), join, event_times<arrival>()) | tw::flat_map(give_new_seller) |
              tw::sink(write_result),
          policy);
  spb::Metrics::stop();
  spb::end_bench();
}
