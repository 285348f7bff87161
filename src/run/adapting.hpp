#pragma once

#include <thalweg/adapt/adapt.hpp>
#include <thalweg/observe/report.hpp>
#include <thalweg/run/engine.hpp>

#include <chrono>
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
  /// What windows show of what was asked for, besides what reports have as events.
  struct settings {
    std::optional<std::chrono::nanoseconds> run_length = {};
    std::optional<std::size_t> message_bytes = {};
    int ranks = 1;
    std::vector<std::optional<int>> credits = {};
    friend bool operator==(const settings&, const settings&) = default;
  };

  void live();
  void look();
  void decide(const adaptation::window& seen);
  void note_decision(const adaptation::window& seen, const adaptation::changes& wanted, std::string what);
  void note_refusal(const std::string& why);
  void note_changes(adaptation::window& seen);
  [[nodiscard]] bool awaits_ranks(const adaptation::window& seen);
  [[nodiscard]] std::string resize(const adaptation::window& seen, const adaptation::replicas_wanted& wanted);
  [[nodiscard]] const adaptation::stage_window* stage_in(const adaptation::window& seen,
                                                         const std::string& name) const;
  [[nodiscard]] std::string rebatch(const adaptation::window& seen, const adaptation::batch_wanted& wanted);
  [[nodiscard]] std::string recredit(const adaptation::window& seen,
                                     const adaptation::credits_wanted& wanted);
  [[nodiscard]] std::string spread(const adaptation::window& seen, int ranks);
  [[nodiscard]] std::string bound_runs(const adaptation::window& seen, std::chrono::nanoseconds work);
  [[nodiscard]] std::string bound_messages(const adaptation::window& seen, std::size_t bytes);
  template <class Change> [[nodiscard]] bool done(Change&& change);

  engine& run_;
  run_state& state_;
  const thalweg::adapt how_;
  const run_windows windows_;
  adaptation::planner::function planner_;
  std::optional<report> before_;
  std::uint64_t number_ = 0;
  std::set<std::string> refused_;  // what could not be done, and why
  // Replicas that other ranks have been told of, but do not have yet, and in which window.
  struct order {
    int replicas = 0;
    std::uint64_t window = 0;
  };
  std::map<std::string, order> on_order_;
  int ranks_asked_ = 0;           // what this has asked for last; 0: nothing yet
  std::optional<settings> last_;  // at the end of the last window
  std::size_t unseen_ = 0;        // decisions whose effect no window has shown yet

  std::mutex ending_;  // guards what follows
  bool over_ = false;
  std::condition_variable called_;
  std::mutex joining_;
  std::thread thread_;
};

}  // namespace THALWEG_NAMESPACE::run_detail
