#include <thalweg/thalweg.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nexmark_q3.hpp>

#include "bench/support/nexmark_events.hpp"
#include "bench/support/policy_asked.hpp"

namespace tw = thalweg;
using apps::nexmark::kind;
using apps::nexmark::local_item;

// A person, or an auction of the category.
struct arrival {
  std::uint64_t seller = 0;
  std::uint64_t auction = 0;
  std::shared_ptr<const apps::nexmark::person> who;
  std::int64_t since = 0;
};

void arrivals(const spb::Item& item, tw::emitter<arrival>& out) {
  const auto& of = item.event();
  if (of.what == kind::person) out({of.person->id, 0, of.person, item.timestamp});
  if (of.what == kind::auction && of.auction->category == 10)
    out({of.auction->seller, of.auction->id, nullptr, item.timestamp});
}

struct seller {
  std::shared_ptr<const apps::nexmark::person> who;
  std::vector<std::uint64_t> waiting;  // auctions, until the person comes
};

void join(seller& its, const arrival& one, tw::emitter<spb::Result>& out) {
  if (!one.who && !its.who) {
    its.waiting.push_back(one.auction);
    return;
  }
  auto auctions = one.who ? std::exchange(its.waiting, {}) : std::vector{one.auction};
  if (one.who) its.who = one.who;
  const auto& who = *its.who;
  if (who.state != "OR" && who.state != "ID" && who.state != "CA") return;
  for (const auto auction : auctions) out({local_item{who.name, who.city, who.state, auction}, one.since});
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  const auto policy = policy_asked();
  spb::Metrics::init();
  tw::run(tw::source(next_events) | made_events(arrivals) | tw::key_by(&arrival::seller, join) |
              tw::sink(write_result),
          policy);
  spb::Metrics::stop();
  spb::end_bench();
}
