// What counting and timing cost: the same job observed and not, in one program, so that both run the very
// same machine code. Two builds cannot be compared so finely: where the linker puts a loop makes more than 2
// %.
#include <utility>

#include "../session.hpp"
#include "job.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

contender observed(const even_farm& program, const tw::any_policy& policy, bool observe) {
  return {"thalweg", policy.name() + (observe ? ", observed" : ", not observed"), true, [=] {
            return checksum_by(program,
                               [&](auto job) { tw::run(std::move(job), policy, {.observe = observe}); });
          }};
}

}  // namespace

void run_observe(session& s) {
  // Many short runs rather than few long ones: what is looked for is smaller than what the machine's speed
  // does within a second.
  constexpr int shorter = 4;
  for (const double nanoseconds : {90.0, 970.0}) {
    const even_farm program{s.items(nanoseconds) / shorter, {s.work.steps(nanoseconds)}};
    const auto expected = loop(program).run();
    experiment all("observe", name_of_grain(nanoseconds), program.items);
    for (const tw::any_policy& policy :
         {tw::any_policy(tw::sequential{}), tw::any_policy(tw::pool{}), tw::any_policy(tw::threads{})}) {
      const auto without = all.reference(observed(program, policy, false), expected);
      all.add(observed(program, policy, true), expected, without, 1.02);
    }
    all.run(shorter * s.repeats, s.out, s.random);
  }
  run_monitored(s);
}

}  // namespace micro
