#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include <nexmark_q4.hpp>

#include "bench/support/closed_auctions.hpp"
#include "bench/support/policy_asked.hpp"

namespace tw = thalweg;
using apps::nexmark::category_price;
using namespace std::chrono_literals;

struct mean {
  std::uint64_t sum = 0;
  std::uint64_t count = 0;
  std::int64_t since = 0;
};

mean both(const mean& a, const mean& b) {
  return {a.sum + b.sum, a.count + b.count, std::max(a.since, b.since)};
}

spb::Result result_of(const tw::keyed<std::uint64_t, tw::windowed<mean>>& of) {
  const auto& [sum, count, since] = of.value.value;
  return {category_price{in_ms(of.value.begin), of.key, sum / count}, since};
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  const auto policy = policy_asked();
  spb::Metrics::init();
  const auto mean_price = tw::aggregate(
      [](const closed_auction& one) {
        return mean{one.price, 1, one.since};
      },
      both);
  tw::graph g;
  const auto means =
      g.add(tw::key_by(&closed_auction::category) |
            tw::window(tw::sliding(10s, 5s), mean_price, tw::event_time(&closed_auction::expires)) |
            tw::map(result_of) | tw::sink(write_result));
  connect_closed_auctions(g, means);
  tw::run(g, policy);
  spb::Metrics::stop();
  spb::end_bench();
}
