#pragma once

#include <thalweg/adapt/adapt.hpp>
#include <thalweg/observe/report.hpp>
#include <thalweg/run/engine.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "run_window.hpp"

namespace THALWEG_NAMESPACE::run_detail {

/// A run that adapts itself: looks from time to time what has happened, asks a planner, and does what it
/// wants, with a thread.
class adapting {
 public:
  /// Without options only farms with a range of replicas change. Throws what the planner throws as it begins.
  adapting(engine& run, std::optional<thalweg::adapt> how);
  adapting(const adapting&) = delete;
  adapting& operator=(const adapting&) = delete;
  ~adapting();

  /// What the run was asked for: by its options, or else by the variable THALWEG_ADAPT of the environment,
  /// for programs that know nothing of it. Throws `error` if that says nothing that is possible.
  [[nodiscard]] static std::optional<thalweg::adapt> asked_for(const run_options& options);
  /// What is wrong with these options.
  [[nodiscard]] static std::vector<std::string> problems(const std::optional<thalweg::adapt>& how,
                                                         bool observes);
  /// Whether this process is to adapt the run: by its options, or as a farm has a range of replicas.
  [[nodiscard]] static bool asked_of(const run_state& run);

  /// The run has begun.
  void begin();
  /// Returns when it changes nothing any more. Thread-safe.
  void end();

 private:
  void live();
  void look();
  void decide(const adaptation::window& seen);
  void note_decision(const adaptation::window& seen, const adaptation::changes& wanted, std::string what);
  void note_refusal(const std::string& why);
  [[nodiscard]] bool awaits_ranks(const adaptation::window& seen);
  [[nodiscard]] std::string resize(const adaptation::window& seen, const adaptation::replicas_wanted& wanted);
  [[nodiscard]] std::string rebatch(const adaptation::window& seen, const adaptation::batch_wanted& wanted);

  engine& run_;
  run_state& state_;
  const thalweg::adapt how_;
  const run_windows windows_;
  adaptation::planner::function planner_;
  std::optional<report> before_;
  std::uint64_t number_ = 0;
  std::set<std::string> refused_;        // what could not be done, and why
  std::map<std::string, int> on_order_;  // replicas that other ranks have been told of, but do not have yet
  std::size_t unseen_ = 0;               // decisions whose effect no window has shown yet

  std::mutex ending_;  // guards what follows
  bool over_ = false;
  std::condition_variable called_;
  std::mutex joining_;
  std::thread thread_;
};

}  // namespace THALWEG_NAMESPACE::run_detail
