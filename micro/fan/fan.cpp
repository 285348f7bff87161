// A source that deals out to eight branches, each with a map, and a merge: first come, and in order. What do
// the ways between stages cost where work is small, and do branches use the cores where it is not?
#include "../session.hpp"

namespace micro {
namespace {

struct grain {
  double nanoseconds;  // of each map
  double limit;        // of thalweg's default policy to its reference
  bool inline_grain;   // handing over cannot pay: the reference is thalweg's own sequential policy
};

constexpr grain grains[] = {{5, 1.2, true}, {100, 1, false}};

template <class Program> void run_fans(session& s, const char* bench) {
  for (const grain& g : grains) {
    const Program program{s.graph_items(), {s.work.steps(g.nanoseconds)}};
    const auto expected = loop(program).run();
    experiment all(bench, name_of_grain(g.nanoseconds), program.items);
    const auto reference = all.reference(loop(program), expected);
    add_thalweg(all, s.peers, program, expected, reference, g.limit, g.inline_grain);
    for (const auto& peer : s.peers.graph_peers()) all.add_best_of(*peer, program, reference, s.out);
    all.run(s.repeats, s.out, s.random);
  }
}

}  // namespace

void run_fan(session& s) {
  run_fans<fan_program>(s, "fan");
}
void run_ordered(session& s) {
  run_fans<ordered_fan_program>(s, "ordered");
}

}  // namespace micro
