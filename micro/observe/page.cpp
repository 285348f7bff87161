// What a page costs that somebody looks at. A separate program: the others do not have what the page brings.
// It prints rows of the benchmark `observe`, as JSON lines on standard output.
#include <thalweg/live/server.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <random>
#include <stdexcept>
#include <utility>

#include <CLI/CLI.hpp>

#include "../support/cores.hpp"
#include "../support/experiment.hpp"
#include "../support/raw.hpp"
#include "../support/work.hpp"
#include "job.hpp"
#include "listener.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

contender without_page(const even_farm& program) {
  const tw::any_policy policy;
  return {"thalweg", policy.name() + ", no page", true,
          [=] { return checksum_by(program, [&](auto job) { tw::launch(std::move(job), policy).wait(); }); }};
}

contender with_page(const even_farm& program) {
  const tw::any_policy policy;
  return {"thalweg", policy.name() + ", page at 4 Hz, one listener", true, [=] {
            return checksum_by(program, [&](auto job) {
              tw::live::server page(tw::launch(std::move(job), policy),
                                    {.every = std::chrono::milliseconds(250), .announce = false});
              const listener one(page.port());
              page.wait();
              if (one.heard() == 0) throw std::runtime_error("the page has told its listener nothing");
            });
          }};
}

int run(bool quick, int repeats) {
  const auto work = calibration::measure();
  std::mt19937_64 random{std::random_device{}()};
  reporter out;
  const double length = quick ? 10e6 : 60e6;
  const auto items = static_cast<std::uint64_t>(length * cores() / watched_nanoseconds) * watched_longer;
  const even_farm program{items, {work.steps(watched_nanoseconds)}};
  const auto expected = loop(program).run();
  experiment all("observe", "87 ns, page", program.items);
  const auto without = all.reference(without_page(program), expected);
  all.add(with_page(program), expected, without);
  all.run(repeats, out, random);
  return out.anything_wrong() ? 1 : 0;
}

}  // namespace
}  // namespace micro

int main(int argc, char** argv) {
  CLI::App app{"What a live page costs: JSON lines on standard output"};
  bool quick = false;
  int repeats = 0;
  app.add_flag("--quick", quick, "shorter runs and fewer repeats: to see that all works");
  app.add_option("--repeats", repeats, "interleaved repeats (default: 11, quick: 3)")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    return micro::run(quick, repeats > 0 ? repeats : (quick ? 3 : 11));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "thalweg_micro_page: %s\n", e.what());
    return 2;
  }
}
