// Runs micro-benchmarks and prints what they find as JSON lines; `./thalweg micro` shows them to people.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "session.hpp"
#include "support/child.hpp"
#include "support/clock.hpp"

namespace micro {
namespace {

void describe() {
  reporter out;
  out.machine();
  const registry peers;
  for (const auto& missing : peers.missing()) out.unavailable(missing.name, missing.what_to_do);
}

int run(const std::vector<std::string>& names, bool quick, int repeats) {
  session s;
  s.quick = quick;
  s.repeats = repeats > 0 ? repeats : (quick ? 3 : 11);
  for (const auto& b : benchmarks()) {
    if (!names.empty() && std::find(names.begin(), names.end(), b.name) == names.end()) continue;
    s.out.begin(b.name, b.says);
    const nanos start = now();
    b.run(s);
    s.out.end(b.name, static_cast<double>(now() - start) / 1e9);
  }
  return s.out.anything_wrong() ? 1 : 0;
}

}  // namespace
}  // namespace micro

int main(int argc, char** argv) {
  CLI::App app{"Micro-benchmarks of stream programs: JSON lines on standard output"};
  std::vector<std::string> names;
  bool quick = false;
  bool list = false;
  bool machine = false;
  int repeats = 0;
  std::vector<std::string> known;
  for (const auto& b : micro::benchmarks()) known.push_back(b.name);
  app.add_option("names", names, "which benchmarks (default: all)")->check(CLI::IsMember(known));
  app.add_flag("--quick", quick,
               "shorter runs and fewer repeats: to see that all works, not to conclude from");
  app.add_flag("--list", list, "name the benchmarks and stop");
  app.add_flag("--machine", machine, "describe the machine and the peers that are missing, and stop");
  app.add_option("--repeats", repeats, "interleaved repeats (default: 11, quick: 3)")
      ->check(CLI::PositiveNumber);
  auto* const errand_command = app.add_subcommand(
      "errand", "run one program once and print its peak memory in kB and the cores it used");
  micro::errand errand;
  errand_command->add_option("program", errand.program, "even, sandwich, chain or frames")->required();
  errand_command->add_option("peer", errand.peer)->required();
  errand_command->add_option("setting", errand.setting, "empty: the default")->required();
  errand_command->add_option("items", errand.items)->required();
  errand_command->add_option("steps", errand.steps, "of work an item")->required();
  CLI11_PARSE(app, argc, argv);
  if (list) {
    for (const auto& b : micro::benchmarks()) std::printf("%-10s %s\n", b.name.c_str(), b.says.c_str());
    return 0;
  }
  try {
    if (*errand_command) {
      const auto took = micro::run_errand(errand, micro::registry{});
      std::printf("%llu %.3f\n", static_cast<unsigned long long>(took.memory), took.parallelism);
      return 0;
    }
    micro::describe();
    if (machine) return 0;
    return micro::run(names, quick, repeats);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "thalweg_micro: %s\n", e.what());
    return 2;
  }
}
