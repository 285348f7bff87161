// Sums of sliding windows in event time, each of a hundred slices, for one key and for a thousand.
#include "../session.hpp"

namespace micro {
namespace {

constexpr double limit = 2;           // of thalweg, one thread, to the loop written for this one program
constexpr double limit_inline = 1.2;  // of its default policy to its own sequential policy

}  // namespace

void run_windows(session& s) {
  for (const std::uint32_t keys : {1U, 1'000U}) {
    const auto items = 4 * s.graph_items();
    const windows_program program{items, keys, readings_of(items, keys)};
    const auto expected = loop(program).run();
    experiment all("windows", keys == 1 ? "1 key" : std::to_string(keys) + " keys", program.items);
    const auto reference = all.reference(loop(program), expected);
    const auto sequential = all.add(default_of(s.peers.thalweg_graphs_sequential().contenders(program)),
                                    expected, reference, limit);
    const auto pool = default_of(s.peers.thalweg_graphs().contenders(program));
    all.add(pool, expected, reference);
    all.add(pool, expected, sequential, limit_inline);
    for (const auto& peer : s.peers.graph_peers()) all.add_best_of(*peer, program, reference, s.out);
    all.run(s.repeats, s.out, s.random);
  }
}

}  // namespace micro
