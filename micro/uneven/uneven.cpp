// Work that differs by a factor of 1000 from item to item, order kept: one long item must not hold the others
// up. The reference is the ideal: bare threads that take the items one by one from a shared counter.
#include "../session.hpp"
#include "../support/raw.hpp"

namespace micro {

void run_uneven(session& s) {
  const uneven_work work{s.work.steps(20)};
  const double mean = s.work.nanoseconds(work.mean_steps());
  const uneven_farm program{s.items(mean), work};
  const auto expected = loop(program).run();
  experiment all("uneven", "20 ns to 20 µs", program.items);
  const auto reference = all.reference(raw(program), expected);
  all.add(default_of(s.peers.thalweg().contenders(program)), expected, reference, 1.05);
  all.add(default_of(s.peers.thalweg_threads().contenders(program)), expected, reference);
  all.add(loop(program), expected, reference);
  for (const auto& peer : s.peers.peers()) {
    all.add_best_of(*peer, program, reference, s.out);
  }
  all.run(s.repeats, s.out, s.random);
}

}  // namespace micro
