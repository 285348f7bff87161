// What a benchmark over MPI is given.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "../support/experiment.hpp"
#include "../support/report.hpp"
#include "../support/work.hpp"
#include "ranks.hpp"

namespace micro {

/// The same on all ranks but for `out`, which says nothing on any but the first.
struct mpi_session {
  bool quick = false;
  int repeats = 11;
  ranks all;
  reporter out;
  std::mt19937_64 random{1};

  /// How many steps of work last so long, as measured on rank 0.
  [[nodiscard]] std::uint32_t steps(double nanoseconds) const {
    return static_cast<std::uint32_t>(all.told(all.first() ? work().steps(nanoseconds) : 0));
  }
  /// How many items of `nanoseconds` each a run has on one core.
  [[nodiscard]] std::uint64_t items(double nanoseconds) const {
    const double run = quick ? 20e6 : 200e6;
    return static_cast<std::uint64_t>(run / nanoseconds) + 1;
  }
  /// An experiment that measures what all ranks use, and counts messages.
  [[nodiscard]] experiment compare(const std::string& bench, const std::string& variant,
                                   std::uint64_t items) const;

 private:
  static const calibration& work() {
    static const auto measured = calibration::measure();
    return measured;
  }
};

struct mpi_benchmark {
  std::string name;
  int ranks;
  std::string says;
  void (*run)(mpi_session&);
};

/// All benchmarks of this program.
const std::vector<mpi_benchmark>& mpi_benchmarks();

void run_mpi_messages(mpi_session&);
void run_mpi_bandwidth(mpi_session&);
void run_mpi_latency(mpi_session&);
void run_mpi_grain(mpi_session&);
void run_mpi_hybrid(mpi_session&);
void run_mpi_single(mpi_session&);
void run_mpi_prefetch(mpi_session&);
void run_mpi_slow_source(mpi_session&);
void run_mpi_ferret(mpi_session&);
void run_mpi_resize(mpi_session&);
void run_mpi_parked(mpi_session&);
void run_mpi_monitor(mpi_session&);

}  // namespace micro
