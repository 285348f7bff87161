/// Whether a change brought what it was made for.
#pragma once

#include <thalweg/adapt/window.hpp>

#include <cstddef>
#include <vector>

namespace THALWEG_NAMESPACE::adaptation {

/// The throughput of windows that show the same state.
class steady_rate {
 public:
  void add(double rate, double seconds) noexcept;
  /// The next one shows another state.
  void begin() noexcept { windows_ = 0; }
  [[nodiscard]] int windows() const noexcept { return windows_; }
  [[nodiscard]] double mean() const noexcept { return mean_; }
  /// How far one window is from the mean, as a part of it: of all states, as noise stays.
  [[nodiscard]] double spread() const noexcept;

 private:
  int windows_ = 0;
  double mean_ = 0, items_ = 0, squares_ = 0.0025;
};

/// A change of farms that is watched. More replicas have to bring a fifth of what they would if nothing
/// disturbed them, or half of what was predicted if that is less; fewer must not lose a fifth of it, nor
/// much.
class trial {
 public:
  struct farm {
    std::size_t stage;
    int from, to;
    double asked;  // items a second, when it was made
  };
  enum class verdict { open, met, good, bad };

  /// The first farm is watched. `before`: what it did; `part`: items that enter sinks for one that it does;
  /// `predicted`: of those, a second.
  trial(std::vector<farm> farms, const steady_rate& before, double part, double predicted);

  /// The windows it takes to tell from noise what a change from one number to the other brings.
  static int windows_for(int from, int to, const steady_rate& rate) noexcept;

  /// Windows from here on show what the change has made of the run.
  [[nodiscard]] bool works() const noexcept;
  /// The next window that shows one state; `met`: all that is asked for is done, and nothing waits. `worth`:
  /// what a processor that nothing disturbs does for the run, items a second.
  [[nodiscard]] verdict look(const window& w, bool met, double worth);

  [[nodiscard]] const std::vector<farm>& farms() const noexcept { return farms_; }
  /// What was before it had been seen for as long as it takes to tell it from noise.
  [[nodiscard]] bool is_sure() const noexcept { return sure_; }
  [[nodiscard]] double before() const noexcept { return before_; }
  [[nodiscard]] double predicted() const noexcept { return predicted_; }
  [[nodiscard]] double now() const noexcept { return since_.mean(); }

 private:
  static int windows_for(double expected, const steady_rate& rate) noexcept;

  std::vector<farm> farms_;
  double part_, before_, predicted_;
  double expected_;   // the part of `before` that is to be gained, or (below 0) could be lost
  int replicas_ = 0;  // more (or fewer) than before, of all farms
  int windows_, seen_ = 0;
  bool sure_ = false;
  steady_rate since_;
};

}  // namespace THALWEG_NAMESPACE::adaptation
