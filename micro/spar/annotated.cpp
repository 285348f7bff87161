#include "annotated.hpp"

namespace micro {
namespace {

std::uint64_t run_annotated(const even_farm& program) {
  counter source{0, program.items};
  alignas(128) checksum sink;  // another thread writes it for each item
  const even_work work = program.work;
  [[spar::ToStream]] while (const auto next = source()) {
    std::uint64_t x = *next;
    [[spar::Stage, spar::Input(x), spar::Output(x), spar::Replicate]] { x = work(x); }
    [[spar::Stage, spar::Input(x)]] { sink(x); }
  }
  return sink.value();
}

}  // namespace

contender annotated_farm(const even_farm& program) {
  return {"annotated", "thalweg-spar", true, [program] { return run_annotated(program); }};
}

}  // namespace micro
