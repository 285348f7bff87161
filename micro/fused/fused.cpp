// A chain of eight cheap maps against the hand-written loop over the same source.
#include <thalweg/thalweg.hpp>

#include "../session.hpp"
#include "chain.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

template <template <int> class Map, class Policy> contender chain_under(Policy policy, std::uint64_t items) {
  return {"thalweg", tw::any_policy(policy).name(), true, [=] {
            counter source{0, items};
            checksum sum;
            tw::run(tw::source([&] { return source(); }) | tw::map(Map<0>{}) | tw::map(Map<1>{}) |
                        tw::map(Map<2>{}) | tw::map(Map<3>{}) | tw::map(Map<4>{}) | tw::map(Map<5>{}) |
                        tw::map(Map<6>{}) | tw::map(Map<7>{}) | tw::sink([&](std::uint64_t x) { sum(x); }),
                    policy);
            return sum.value();
          }};
}

template <template <int> class Map> contender hand_written(std::uint64_t items) {
  return {"loop", "hand-written", true, [=] {
            counter source{0, items};
            checksum sum;
            while (auto x = source()) {
              sum(Map<7>{}(Map<6>{}(Map<5>{}(Map<4>{}(Map<3>{}(Map<2>{}(Map<1>{}(Map<0>{}(*x)))))))));
            }
            return sum.value();
          }};
}

template <template <int> class Map> void compare(session& s, const char* variant, std::uint64_t items) {
  const auto loop = hand_written<Map>(items);
  const auto expected = loop.run();
  experiment all("fused", variant, items);
  const auto reference = all.reference(loop, expected);
  all.add(chain_under<Map>(tw::pool{}, items), expected, reference, 1.02);
  all.add(chain_under<Map>(tw::sequential{}, items), expected, reference, 1.02);
  all.run(s.repeats, s.out, s.random);
}

}  // namespace

contender hand_written_chain(std::uint64_t items) {
  return hand_written<cheap_map>(items);
}
contender pool_chain(std::uint64_t items) {
  return chain_under<cheap_map>(tw::pool{}, items);
}
contender sequential_chain(std::uint64_t items) {
  return chain_under<cheap_map>(tw::sequential{}, items);
}

void run_fused(session& s) {
  compare<cheap_map>(s, "eight maps of 0.3 ns", s.quick ? 3'000'000 : 12'000'000);
  compare<dividing_map>(s, "eight maps with a division", s.quick ? 500'000 : 2'000'000);
}

}  // namespace micro
