/// `register_policy`: a custom policy that has a name.
#pragma once

#include <thalweg/run/engine.hpp>
#include <thalweg/run/policy.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

/// Lets another runtime's threads execute jobs: a custom policy in a page of code, with every pattern and
/// every shape of graph. `tw::tbb` and `tw::omp` are made with it; see docs/extending.md.
namespace THALWEG_NAMESPACE {

namespace run_detail {

/// A runtime that takes tasks, as oneTBB does.
class task_runtime {
 public:
  virtual ~task_runtime() = default;
  /// How many tasks it may execute at once.
  [[nodiscard]] virtual int threads() const = 0;
  /// Makes one of its threads call `task` soon. Any thread may call it, also from within a task. A task takes
  /// some tens of microseconds and does not wait for others.
  virtual void submit(std::function<void()> task) = 0;
  /// Has the calling thread execute tasks until `run_over` has been called. It is called once, by the thread
  /// that called `run`, or, after `launch`, by one of ours. All threads of the runtime may be busy while that
  /// thread waits, and then no other thread executes the tasks: a runtime whose threads call `run` themselves
  /// must do this. By default it returns at once.
  virtual void join_in() {}
  /// No more tasks come. It may be called before `join_in`.
  virtual void run_over() {}
};

/// A runtime that gives a team of threads, as OpenMP does.
class team_runtime {
 public:
  virtual ~team_runtime() = default;
  /// How many threads to ask for.
  [[nodiscard]] virtual int threads() const = 0;
  /// Makes up to `threads()` threads call `life(number)` at once, each with a different number from 0 on;
  /// returns when all have returned, which they do when the run is over. It is called by the thread that
  /// called `run`, or, after `launch`, by one of ours.
  virtual void run(const std::function<void(std::size_t)>& life) = 0;
};

std::shared_ptr<engine> make_network(std::unique_ptr<run_state> state, std::unique_ptr<task_runtime> runtime);
std::shared_ptr<engine> make_network(std::unique_ptr<run_state> state, std::unique_ptr<team_runtime> runtime);

}  // namespace run_detail

/// Lets `policy_from` find a policy by name: `make(n)` gets the number behind the colon, or `automatic`. Of
/// several with one name the latest counts. Returns true.
bool register_policy(std::string name, std::function<any_policy(int)> make);

/// Does so for as long as it lives: as a variable of a library that is unloaded, it takes its policy along.
class registered_policy {
 public:
  registered_policy(std::string name, std::function<any_policy(int)> make);
  registered_policy(const registered_policy&) = delete;
  registered_policy& operator=(const registered_policy&) = delete;
  ~registered_policy();

 private:
  std::string name_;
};

}  // namespace THALWEG_NAMESPACE
