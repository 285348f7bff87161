/// `tbb`: jobs executed by the threads of oneTBB. Not part of <thalweg/thalweg.hpp>; link TBB::tbb.
#pragma once

#include <thalweg/run/back_end.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

namespace THALWEG_NAMESPACE {

/// Executes a job in an arena of oneTBB, for programs whose threads are already oneTBB's: they are shared,
/// and none of ours are added except for stages with their own thread (`.blocking`, `.pin`, batches with an
/// interval). Order, errors and everything else are as under any policy.
///
/// The thread that calls `run` works in the arena until the run has ended, so a run may begin anywhere: in a
/// task, in an arena, in an isolated region, in an operator of another run. After `launch`, and if a stage is
/// on `tw::caller_thread`, one of our threads does that instead: the run goes on even if all of oneTBB's
/// threads are busy.
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

/// Arenas of runs that are over, for later ones. oneTBB keeps an arena that has been given up until one of
/// its workers has looked into it, and these may be busy for long.
class spare_arenas {
 public:
  static spare_arenas& all() {
    static auto& one = *new spare_arenas;  // to the end: oneTBB may be gone before what is static here
    return one;
  }
  [[nodiscard]] std::unique_ptr<::tbb::task_arena> take(int threads) {
    {
      const std::lock_guard hold(lock_);
      if (auto& spare = spare_[threads]; !spare.empty()) {
        auto one = std::move(spare.back());
        spare.pop_back();
        return one;
      }
      ++made_;
    }
    // No slot is kept for the thread that joins in: a worker may have it before.
    const int size = threads == automatic ? int{::tbb::task_arena::automatic} : threads;
    auto one = std::make_unique<::tbb::task_arena>(size, 0);
    one->initialize();
    return one;
  }
  void give_back(int threads, std::unique_ptr<::tbb::task_arena> arena) {
    const std::lock_guard hold(lock_);
    spare_[threads].push_back(std::move(arena));
  }
  /// How many there are, in use or not.
  [[nodiscard]] std::size_t made() {
    const std::lock_guard hold(lock_);
    return made_;
  }

 private:
  std::mutex lock_;
  std::map<int, std::vector<std::unique_ptr<::tbb::task_arena>>> spare_;
  std::size_t made_ = 0;
};

class tbb_runtime final : public task_runtime {
 public:
  explicit tbb_runtime(int threads) : threads_(threads), arena_(spare_arenas::all().take(threads)) {}
  tbb_runtime(const tbb_runtime&) = delete;
  tbb_runtime& operator=(const tbb_runtime&) = delete;
  ~tbb_runtime() noexcept
      override {  // what a group's own one throws, if it has tasks left, is a fault of ours
    spare_arenas::all().give_back(threads_, std::move(arena_));
  }
  [[nodiscard]] int threads() const override { return arena_->max_concurrency(); }
  void submit(std::function<void()> task) override { arena_->enqueue(std::move(task)); }
  void join_in() override {
    arena_->execute([this] { all_.wait(); });
  }
  void run_over() override { last_ = {}; }

 private:
  const int threads_;
  std::unique_ptr<::tbb::task_arena> arena_;
  // A thread that waits for a group executes what there is in the arena. This group is not through before its
  // last task has been given up.
  ::tbb::task_group all_;
  ::tbb::task_handle last_ = all_.defer([] {});
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
inline const registered_policy tbb_is_known{"tbb", [](int n) -> any_policy { return tbb{.threads = n}; }};
}  // namespace run_detail

}  // namespace THALWEG_NAMESPACE
