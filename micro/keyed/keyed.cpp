// State for each of many keys, some of them a hundred thousand times as frequent as others: what does the
// library's table cost, against the standard one and one made for the purpose?
#include "../session.hpp"

namespace micro {
namespace {

constexpr std::uint32_t keys = 100'000;
constexpr double limit = 1;           // of thalweg, one thread, to the loop with the standard table
constexpr double limit_inline = 1.2;  // of its default policy to its own sequential policy

}  // namespace

void run_keyed(session& s) {
  const auto items = 2 * s.graph_items();
  const keyed_program program{items, zipf_events(items, keys)};
  const auto expected = loop(program).run();
  experiment all("keyed", "100 000 keys, Zipf", program.items);
  const auto standard = all.reference(loop_of_standard_table(program), expected);
  const auto open = all.reference(loop(program), expected);
  const auto line = default_of(s.peers.thalweg_graphs_sequential().contenders(program));
  const auto sequential = all.add(line, expected, standard, limit);
  all.add(line, expected, open);
  const auto pool = default_of(s.peers.thalweg_graphs().contenders(program));
  all.add(pool, expected, standard);
  all.add(pool, expected, sequential, limit_inline);
  for (const auto& peer : s.peers.graph_peers()) all.add_best_of(*peer, program, standard, s.out);
  all.run(s.repeats, s.out, s.random);
}

}  // namespace micro
