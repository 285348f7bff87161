#pragma once

#include <thalweg/adapt/adapt.hpp>
#include <thalweg/observe/report.hpp>
#include <thalweg/run/engine.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "run_window.hpp"

namespace THALWEG_NAMESPACE::run_detail {

/// A run that adapts itself: looks from time to time what has happened, asks a planner, and does what it
/// wants, with a thread.
class adapting {
 public:
  /// Without `all` only farms with a range of their own change.
  adapting(engine& run, thalweg::adapt how, bool all);
  adapting(const adapting&) = delete;
  adapting& operator=(const adapting&) = delete;
  ~adapting();

  /// What the run was asked for: by its options, or else by the variable THALWEG_ADAPT of the environment,
  /// for programs that know nothing of it. Throws `error` if that says nothing that is possible.
  [[nodiscard]] static std::optional<thalweg::adapt> asked_for(const run_options& options);
  /// What is wrong with these options.
  [[nodiscard]] static std::vector<std::string> problems(const std::optional<thalweg::adapt>& how,
                                                         bool observes);
  /// Whether a farm of the run has a range of its own.
  [[nodiscard]] static bool has_range(const run_state& run);

  /// The run has begun.
  void begin();
  /// Returns when it changes nothing any more. Thread-safe.
  void end();

 private:
  void live();
  void look();
  void decide(const adaptation::window& seen);
  [[nodiscard]] std::string resize(const adaptation::window& seen, const adaptation::replicas_wanted& wanted);
  [[nodiscard]] std::string rebatch(const adaptation::window& seen, const adaptation::batch_wanted& wanted);

  engine& run_;
  run_state& state_;
  const thalweg::adapt how_;
  const run_windows windows_;
  adaptation::planner::function planner_;
  std::optional<report> before_;
  std::uint64_t number_ = 0;
  std::string refused_;     // what could not be done last, and why
  std::size_t unseen_ = 0;  // decisions whose effect no window has shown yet

  std::mutex ending_;  // guards what follows
  bool over_ = false;
  std::condition_variable called_;
  std::mutex joining_;
  std::thread thread_;
};

}  // namespace THALWEG_NAMESPACE::run_detail
