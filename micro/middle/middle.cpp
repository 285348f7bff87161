// A serial stage between two farms, against one farm that does all their work: what does the stage in the
// middle cost?
#include "../session.hpp"
#include "../support/raw.hpp"

namespace micro {

void run_middle(session& s) {
  for (const double nanoseconds : {87.0, 970.0, 9'800.0}) {
    const even_work work{s.work.steps(nanoseconds)};
    const even_work little{2};  // the serial stage must not be what limits the stream
    const auto items = s.items(2 * nanoseconds, most_for_peers);
    const sandwich_program program{items, work, little, work};
    const fused_farm fused{items, {work, little, work}};
    const auto expected = loop(program).run();
    const auto fused_expected = loop(fused).run();

    experiment all("middle", name_of_grain(nanoseconds) + " twice", items);
    const auto reference = all.reference(raw(fused), fused_expected);
    auto fused_form = default_of(s.peers.thalweg().contenders(fused));
    fused_form.setting += ", fused";
    const auto one_farm = all.add(std::move(fused_form), fused_expected, reference);
    const auto three_stages = default_of(s.peers.thalweg().contenders(program));
    all.add(three_stages, expected, one_farm, 1.03);
    all.add(three_stages, expected, reference);
    for (const auto& peer : s.peers.peers()) {
      all.add_best_of(*peer, program, reference, s.out);
    }
    all.run(s.repeats, s.out, s.random);
  }
}

}  // namespace micro
