// A source whose items go two ways, through a map each, and come together in pairs.
#include "../session.hpp"

namespace micro {
namespace {

struct grain {
  double nanoseconds;  // of each of the two maps
  double limit;        // of thalweg's default policy to its reference
  bool inline_grain;   // handing over cannot pay: the reference is thalweg's own sequential policy
};

constexpr grain grains[] = {{5, 1.2, true}, {100, 1, false}};

}  // namespace

void run_diamond(session& s) {
  for (const grain& g : grains) {
    const even_work work{s.work.steps(g.nanoseconds)};
    // Not the same work: the loop would be free to do it once.
    const diamond_program program{s.graph_items(), work, {work.steps + 1}};
    const auto expected = loop(program).run();
    experiment all("diamond", name_of_grain(g.nanoseconds), program.items);
    const auto reference = all.reference(loop(program), expected);
    add_thalweg(all, s.peers, program, expected, reference, g.limit, g.inline_grain);
    for (const auto& peer : s.peers.graph_peers()) all.add_best_of(*peer, program, reference, s.out);
    all.run(s.repeats, s.out, s.random);
  }
}

}  // namespace micro
