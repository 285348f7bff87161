// What a stream that thalweg-spar makes of a loop costs, against the same stream written by hand.
#include <thalweg/thalweg.hpp>

#include "../session.hpp"
#if MICRO_HAS_SPAR
#include "annotated.hpp"
#endif

namespace micro {

namespace {

constexpr double nanoseconds = 87;
[[maybe_unused]] constexpr double limit = 1.02;

// A loop that sends its items, which is the other way to keep a loop as it is: thalweg-spar writes a
// coroutine.
contender by_hand(const even_farm& program) {
  return {"by hand", "emitter", false, [program] {
            counter source{0, program.items};
            checksum sink;
            thalweg::run(thalweg::source<std::uint64_t>([&](thalweg::emitter<std::uint64_t>& out) {
                           while (const auto x = source()) out.send(*x);
                         }) |
                         thalweg::farm(program.work) | thalweg::sink([&](std::uint64_t x) { sink(x); }));
            return sink.value();
          }};
}

}  // namespace

void run_spar(session& s) {
  const even_farm program{s.items(nanoseconds), even_work{s.work.steps(nanoseconds)}};
  const auto expected = loop(program).run();
  experiment both("spar", name_of_grain(nanoseconds), program.items);
  const auto reference = both.reference(default_of(s.peers.thalweg().contenders(program)), expected);
  both.add(by_hand(program), expected, reference);
#if MICRO_HAS_SPAR
  both.add(annotated_farm(program), expected, reference, limit);
#else
  s.out.unavailable("thalweg-spar", "install libclang-dev and llvm-dev, and configure anew");
#endif
  both.run(s.repeats, s.out, s.random);
}

}  // namespace micro
