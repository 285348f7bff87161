// Composites and optional ports cost nothing: the same line with and without.
#include <thalweg/thalweg.hpp>

#include "../fused/chain.hpp"
#include "../session.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

using number = std::uint64_t;

constexpr double limit = 1.02;

/// A stage as it would be in any graph.
struct plain final : tw::stage {
  tw::in<number> in{this, "in"};
  tw::out<number> out{this, "out"};
  void on_item(tw::in<number>&, number x) { out.send(cheap_map<0>{}(x)); }
};

/// The same with an output that nobody is connected to, and that it uses for what never comes.
struct with_optional_port final : tw::stage {
  tw::in<number> in{this, "in"};
  tw::out<number> out{this, "out"};
  tw::out<number> odd_ones{this, "odd-ones", tw::optional_port};
  void on_item(tw::in<number>&, number x) {
    if (x == 0) odd_ones.send(x);
    out.send(cheap_map<0>{}(x));
  }
};

/// The same with an output that each item is sent to, and nobody is connected to.
struct sending_to_nobody final : tw::stage {
  tw::in<number> in{this, "in"};
  tw::out<number> out{this, "out"};
  tw::out<number> copies{this, "copies", tw::optional_port};
  void on_item(tw::in<number>&, number x) {
    copies.send(x);
    out.send(cheap_map<0>{}(x));
  }
};

template <class Stage>
contender through(const char* setting, const tw::any_policy& policy, std::uint64_t items) {
  return {"thalweg", policy.name() + ", " + setting, true, [=] {
            counter source{0, items};
            checksum sum;
            tw::graph g;
            auto& stage = g.add<Stage>();
            g.connect(g.add(tw::source([&] { return source(); })).out, stage.in);
            g.connect(stage.out, g.add(tw::sink([&](number x) { sum(x); })).in);
            tw::run(g, policy);
            return sum.value();
          }};
}

template <bool Composite> contender line(const tw::any_policy& policy, std::uint64_t items) {
  return {"thalweg", policy.name() + (Composite ? ", composites" : ", plain"), true, [=] {
            counter source{0, items};
            checksum sum;
            const auto first = tw::map(cheap_map<0>{}) | tw::map(cheap_map<1>{});
            const auto second = tw::map(cheap_map<2>{}) | tw::map(cheap_map<3>{});
            const auto begin = tw::source([&] { return source(); });
            const auto end = tw::sink([&](number x) { sum(x); });
            if constexpr (Composite) {
              tw::run(
                  begin |
                      tw::composite("both", tw::composite("first", first) | tw::composite("second", second)) |
                      end,
                  policy);
            } else {
              tw::run(begin | first | second | end, policy);
            }
            return sum.value();
          }};
}

}  // namespace

void run_composite(session& s) {
  // Many short runs rather than few long ones: what is looked for is smaller than what the machine's speed
  // does within a second.
  constexpr int shorter = 2;
  const tw::any_policy policies[] = {tw::sequential{}, tw::pool{}};
  const std::uint64_t items = s.quick ? 1'000'000 : 5'000'000;
  experiment lines("composite", "a line in composites", items);
  experiment ports("composite", "an optional port", items);
  for (const auto& policy : policies) {
    const auto plain_line = line<false>(policy, items);
    const auto line_sum = plain_line.run();
    lines.add(line<true>(policy, items), line_sum, lines.reference(plain_line, line_sum), limit);
    const auto plain_stage = through<plain>("without", policy, items);
    const auto stage_sum = plain_stage.run();
    const auto without = ports.reference(plain_stage, stage_sum);
    ports.add(through<with_optional_port>("one", policy, items), stage_sum, without, limit);
    ports.add(through<sending_to_nobody>("one, sent to", policy, items), stage_sum, without);
  }
  lines.run(shorter * s.repeats, s.out, s.random);
  ports.run(shorter * s.repeats, s.out, s.random);
}

}  // namespace micro
