/// `omp`: jobs executed by a team of OpenMP threads. Not part of <thalweg/thalweg.hpp>; compile with
/// -fopenmp.
#pragma once

#include <thalweg/run/back_end.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <omp.h>

namespace THALWEG_NAMESPACE {

/// Executes a job in a parallel region of OpenMP, for programs whose threads are already OpenMP's: `run`
/// opens the region on the calling thread, so the runtime's own threads are used, as its settings say
/// (OMP_NUM_THREADS, OMP_PLACES). After `launch`, and if a stage is on `tw::caller_thread`, the region is
/// another thread's. Inside a parallel region of the program the team is that of a nested region, by default
/// the calling thread alone.
///
///     int sum = 0;
///     tw::run(tw::source(std::vector{1, 2, 3}) | tw::sink([&](int x) { sum += x; }), tw::omp{.threads = 2});
///     assert(sum == 6);
struct omp {
  /// The size of the team; `automatic`: what OpenMP would use by default.
  int threads = automatic;

  operator any_policy() const;  // NOLINT(google-explicit-constructor): a policy is what it stands for
};

namespace run_detail {

class omp_runtime final : public team_runtime {
 public:
  explicit omp_runtime(int threads) : threads_(threads == automatic ? omp_get_max_threads() : threads) {}
  [[nodiscard]] int threads() const override { return threads_; }
  void run(const std::function<void(std::size_t)>& life) override {
#pragma omp parallel num_threads(threads_)
    life(static_cast<std::size_t>(omp_get_thread_num()));
  }

 private:
  const int threads_;
};

}  // namespace run_detail

inline omp::operator any_policy() const {
  return {threads == automatic ? "omp" : "omp:" + std::to_string(threads), std::make_shared<omp>(*this),
          [](std::unique_ptr<run_detail::run_state> state, const void* policy) {
            return run_detail::make_network(std::move(state), std::make_unique<run_detail::omp_runtime>(
                                                                  static_cast<const omp*>(policy)->threads));
          }};
}

namespace run_detail {
inline const registered_policy omp_is_known{"omp", [](int n) -> any_policy { return omp{.threads = n}; }};
}  // namespace run_detail

}  // namespace THALWEG_NAMESPACE
