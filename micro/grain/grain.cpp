// How fine may the work be before handing it to other cores stops paying? source | farm(work) | sink over
// integers.
#include "../session.hpp"
#include "../support/raw.hpp"

namespace micro {
namespace {

struct grain {
  double nanoseconds;
  double limit;       // of thalweg's default policy to its reference
  bool inline_grain;  // handing over cannot pay: the reference is thalweg's own sequential policy
};

constexpr grain grains[] = {{4, 1.2, true}, {87, 1.15, false}, {970, 1.07, false}, {9'800, 1.04, false}};

void measure_thalweg(session& s, const grain& g, const even_farm& program) {
  const auto expected = loop(program).run();
  experiment own("grain", name_of_grain(g.nanoseconds), program.items);
  const auto reference = own.reference(raw(program), expected);
  const auto sequential =
      own.add(default_of(s.peers.thalweg_sequential().contenders(program)), expected, reference);
  const auto pool = default_of(s.peers.thalweg().contenders(program));
  if (g.inline_grain) {
    own.add(pool, expected, reference);
    own.add(pool, expected, sequential, g.limit);
  } else {
    own.add(pool, expected, reference, g.limit);
  }
  own.add(loop(program), expected, reference);
  own.run(s.repeats, s.out, s.random);
}

void measure_peers(session& s, const grain& g, const even_farm& program) {
  const auto expected = loop(program).run();
  experiment others("grain", name_of_grain(g.nanoseconds), program.items);
  const auto reference = others.reference(raw(program), expected);
  others.add(default_of(s.peers.thalweg_threads().contenders(program)), expected, reference);
  for (const auto& peer : s.peers.peers()) others.add_best_of(*peer, program, reference, s.out);
  others.run(s.repeats, s.out, s.random);
}

}  // namespace

void run_grain(session& s) {
  for (const grain& g : grains) {
    const even_work work{s.work.steps(g.nanoseconds)};

    measure_thalweg(s, g, {s.items(g.nanoseconds), work});
    measure_peers(s, g, {s.items(g.nanoseconds, most_for_peers), work});
  }
}

}  // namespace micro
