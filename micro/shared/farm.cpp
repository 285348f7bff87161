// source | farm | sink, once, as `grain` measures it: a small program that is linked with the static library
// and with the shared one, so that both can be compared.
//
//   micro_farm steps <nanoseconds>   how many steps of work take that long on this machine
//   micro_farm <items> <steps>       runs the farm; prints nanoseconds per item
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

#include "../peers/peer.hpp"
#include "../peers/registry.hpp"
#include "../support/clock.hpp"
#include "../support/program.hpp"
#include "../support/raw.hpp"
#include "../support/work.hpp"

namespace {

double nanoseconds_per_item(std::uint64_t items, std::uint32_t steps) {
  const micro::even_farm program{items, {steps}};
  const auto thalweg = micro::make_thalweg();
  for (const auto& c : thalweg->contenders(program)) {
    if (!c.is_default) continue;
    const auto start = micro::now();
    const auto found = c.run();
    const auto took = static_cast<double>(micro::now() - start);
    if (found != micro::loop(program).run()) throw std::runtime_error("the output is not that of the loop");
    return took / static_cast<double>(items);
  }
  throw std::logic_error("no default");
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) throw std::invalid_argument("usage: micro_farm steps <nanoseconds> | <items> <steps>");
  if (std::strcmp(argv[1], "steps") == 0) {
    std::printf("%u\n", micro::calibration::measure().steps(std::stod(argv[2])));
  } else {
    std::printf("%.4f\n",
                nanoseconds_per_item(std::stoull(argv[1]), static_cast<std::uint32_t>(std::stoul(argv[2]))));
  }
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "micro_farm: %s\n", e.what());
  return 2;
}
