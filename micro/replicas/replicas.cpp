// More replicas than cores: allowed, and no slower.
#include "../session.hpp"
#include "../support/raw.hpp"

namespace micro {

void run_replicas(session& s) {
  for (const double nanoseconds : {87.0, 970.0, 9'800.0}) {
    const even_farm program{s.items(nanoseconds), {s.work.steps(nanoseconds)}};
    const auto expected = loop(program).run();
    experiment all("replicas", name_of_grain(nanoseconds), program.items);
    const auto reference = all.reference(raw(program), expected);
    const auto once = all.add(thalweg_with_replicas(program, cores()), expected, reference);
    for (const int times : {2, 4}) {
      all.add(thalweg_with_replicas(program, times * cores()), expected, once, 1.05);
    }
    all.run(s.repeats, s.out, s.random);
  }
}

}  // namespace micro
