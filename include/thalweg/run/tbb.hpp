/// `tbb`: jobs executed by the threads of oneTBB. Not part of <thalweg/thalweg.hpp>; link TBB::tbb.
#pragma once

#include <thalweg/run/back_end.hpp>

#include <memory>
#include <string>
#include <utility>

#include <oneapi/tbb/task_arena.h>

namespace thalweg {

/// Executes a job in an arena of oneTBB, for programs whose threads are oneTBB's already: they are shared,
/// and none of ours are added but for stages that want one of their own (`.blocking`, `.pin`, batches with an
/// interval). Order, errors and everything else as under any policy.
///
/// oneTBB lends a thread to one arena for as long as that has work: of several runs at once that feed each
/// other (through taps and feeds) there must not be more than oneTBB has worker threads, one less than cores.
///
///     int sum = 0;
///     tw::run(tw::source(std::vector{1, 2, 3}) | tw::sink([&](int x) { sum += x; }), tw::tbb{.threads = 2});
///     assert(sum == 6);
struct tbb {
  /// The size of the arena; `automatic`: as many threads as oneTBB would use by default.
  int threads = automatic;

  operator any_policy() const;  // NOLINT(google-explicit-constructor): a policy is what it stands for
};

namespace run_detail {

class tbb_runtime final : public task_runtime {
 public:
  // One slot is not kept for a thread that joins: nobody does.
  explicit tbb_runtime(int threads)
      : arena_(threads == automatic ? ::tbb::task_arena::automatic : threads, 0) {
    arena_.initialize();
  }
  [[nodiscard]] int threads() const override { return arena_.max_concurrency(); }
  void submit(std::function<void()> task) override { arena_.enqueue(std::move(task)); }

 private:
  ::tbb::task_arena arena_;
};

}  // namespace run_detail

inline tbb::operator any_policy() const {
  return {threads == automatic ? "tbb" : "tbb:" + std::to_string(threads), std::make_shared<tbb>(*this),
          [](std::unique_ptr<run_detail::run_state> state, const void* policy) {
            return run_detail::make_network(std::move(state), std::make_unique<run_detail::tbb_runtime>(
                                                                  static_cast<const tbb*>(policy)->threads));
          }};
}

namespace run_detail {
inline const bool tbb_is_known =
    register_policy("tbb", [](int n) -> any_policy { return tbb{.threads = n}; });
}  // namespace run_detail

}  // namespace thalweg
