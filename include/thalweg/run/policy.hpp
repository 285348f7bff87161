/// `sequential`, `pool`, `threads`: who executes a job.
#pragma once

#include <thalweg/model/plan.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

namespace run_detail {
class engine;
struct run_state;
}  // namespace run_detail

/// Everything on one thread, in order, without hand-over: the meaning of a program, and the right choice for
/// tests and for work that is not worth a second core.
struct sequential {};

/// The default. As many workers as cores share the stages: a stage that has just got items runs next, so
/// downstream work goes first; further workers are woken only when that pays, and if it does not, a line runs
/// inline on one. See docs/policies.md.
///
/// ```cpp
/// auto job = tw::source(std::vector{1, 2, 3}) | tw::sink([](int) {});
/// assert(tw::run(job, tw::pool{.workers = 2}).workers() == 2);
/// ```
struct pool {
  /// How many workers; `automatic`: one per core that the process may use.
  int workers = automatic;
  /// The processors that the workers are bound to, in turn; empty: the system places them.
  std::vector<int> pin = {};
};

/// A thread for each serial stage and for each replica of a farm, joined by bounded queues: takes numbers
/// literally. For stages that wait a lot, for pinning, and for comparison.
///
/// ```cpp
/// auto job = tw::source(std::vector{1, 2, 3}) | tw::farm([](int x) { return x; }, {.replicas = 3}) |
///            tw::sink([](int) {});
/// assert(tw::run(job, tw::threads{}).workers() == 5);
/// ```
struct threads {
  /// At most this many replicas over all farms together; `automatic`: farms without `.replicas` get one per
  /// core.
  int replicas = automatic;
  /// Serial stages that follow each other share a thread.
  bool fuse = false;
  /// How many runs of items wait between two stages at most.
  int slots = 16;
  /// The processors that the threads are bound to, in turn, beginning with the source's; stages with their
  /// own `.pin` keep that. Empty: the system places them.
  std::vector<int> pin = {};
};

/// A policy chosen at run time: made from any policy, or from text by `policy_from`.
class any_policy {
 public:
  any_policy();  ///< pool{}
  any_policy(sequential);
  any_policy(pool p);
  any_policy(threads t);
  any_policy(const any_policy&);
  any_policy(any_policy&&) noexcept;
  any_policy& operator=(const any_policy&);
  any_policy& operator=(any_policy&&) noexcept;
  ~any_policy();

  /// As text. `policy_from(p.name())` is the same policy regarding workers and replicas; the other fields of
  /// a policy have no text, and a custom policy has no name that can be looked up.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// How many workers it has, for those who have to know before it executes anything (`mpi_options::local`):
  /// those that it was made with, or else the number that its name ends with. `automatic`: as many as cores.
  [[nodiscard]] int workers() const noexcept { return workers_; }

  using maker = std::shared_ptr<run_detail::engine> (*)(std::unique_ptr<run_detail::run_state>,
                                                        const void* policy);
  // For the library, and for custom policies: see docs/extending.md. `made_by` throws invalid_job if the
  // job is a graph, and the engine executes lines only.
  any_policy(std::string name, std::shared_ptr<const void> policy, maker made_by, int workers = automatic);
  [[nodiscard]] std::shared_ptr<run_detail::engine> make(std::unique_ptr<run_detail::run_state> state) const;

 private:
  std::string name_;
  std::shared_ptr<const void> policy_;
  maker make_ = nullptr;
  int workers_ = automatic;
};

/// A policy from its name: `sequential`, `pool`, `pool:4` (workers), `threads`, `threads:4` (replicas over
/// all farms). Throws a `thalweg::error` that lists the names if the text is none of them.
///
/// ```cpp
/// int n = 0;
/// tw::any_policy p = tw::policy_from("threads:4");
/// tw::run(tw::source(std::vector{1, 2, 3}) | tw::sink([&](int) { ++n; }), p);
/// assert(n == 3 && p.name() == "threads:4");
/// ```
any_policy policy_from(std::string_view text);

}  // namespace THALWEG_NAMESPACE
