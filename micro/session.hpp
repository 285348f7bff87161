// What a benchmark is given.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "peers/registry.hpp"
#include "support/experiment.hpp"
#include "support/report.hpp"
#include "support/work.hpp"

namespace micro {

struct session {
  bool quick = false;
  int repeats = 11;
  calibration work = calibration::measure();
  registry peers;
  reporter out;
  std::mt19937_64 random{std::random_device{}()};

  /// How many items of `nanoseconds` each keep all cores busy for one run, at most `most`.
  std::uint64_t items(double nanoseconds, std::uint64_t most = UINT64_MAX) const {
    const double run = quick ? 10e6 : 60e6;
    return std::min(most, static_cast<std::uint64_t>(run * cores() / nanoseconds));
  }

  /// How many items a graph is run with: the same for each contender, however slow it is.
  std::uint64_t graph_items() const { return quick ? 50'000 : 500'000; }
};

/// Peers that pay hundreds of nanoseconds for each item are not made to run for seconds: the most items they
/// get. Their ratios are to a reference run over as many.
constexpr std::uint64_t most_for_peers = 1'500'000;

/// The contender a user gets who tunes nothing.
contender default_of(std::vector<contender> settings);

/// A case's name, such as `87 ns` or `9.8 µs`.
std::string name_of_grain(double nanoseconds);

/// Thalweg's default policy with `.replicas` given.
contender thalweg_with_replicas(const even_farm& program, int replicas);

/// Thalweg's default policy with the library's own open-loop source, `paced`, for that of the program.
contender thalweg_paced(const paced_program& program);

/// Thalweg's policies in an experiment on a graph. The default one is held to `limit`: as a ratio to the
/// library's own sequential policy where handing over cannot pay, else to `reference`.
template <class Program>
void add_thalweg(experiment& e, const registry& peers, const Program& program, std::uint64_t expected,
                 experiment::index reference, double limit, bool inline_grain) {
  const auto sequential =
      e.add(default_of(peers.thalweg_graphs_sequential().contenders(program)), expected, reference);
  const auto pool = default_of(peers.thalweg_graphs().contenders(program));
  if (inline_grain) {
    e.add(pool, expected, reference);
    e.add(pool, expected, sequential, limit);
  } else {
    e.add(pool, expected, reference, limit);
  }
  e.add(default_of(peers.thalweg_graphs_threads().contenders(program)), expected, reference);
}

struct benchmark {
  std::string name;
  std::string says;
  void (*run)(session&);
};

/// All benchmarks of this program, in the order in which they run.
const std::vector<benchmark>& benchmarks();

void run_grain(session&);
void run_uneven(session&);
void run_phases(session&);
void run_replicas(session&);
void run_middle(session&);
void run_fused(session&);
void run_nesting(session&);
void run_startup(session&);
void run_memory(session&);
void run_latency(session&);
void run_idle(session&);
void run_rate(session&);
void run_observe(session&);
void run_stall(session&);
void run_pipes(session&);
void run_fan(session&);
void run_ordered(session&);
void run_diamond(session&);
void run_keyed(session&);
void run_windows(session&);
void run_graph_start(session&);
void run_composite(session&);
void run_resize(session&);
void run_spar(session&);

}  // namespace micro
