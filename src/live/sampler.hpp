#pragma once

#include <thalweg/live/options.hpp>
#include <thalweg/observe/report.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "../observe/run_json.hpp"
#include "history.hpp"
#include "subject.hpp"

namespace THALWEG_NAMESPACE::live {

/// Looks at one run after the other from time to time, with a thread, and tells the history. Thread-safe.
class sampler {
 public:
  sampler(history& to, const options& how);
  sampler(const sampler&) = delete;
  sampler& operator=(const sampler&) = delete;
  ~sampler();

  /// The first look at it is taken before this returns.
  void watch(std::shared_ptr<subject> run);
  /// Of a run that is done: the last look is taken before this returns, if it is the one that is watched,
  /// and then none any more.
  void finish(const subject& run);

  struct look {
    std::shared_ptr<const report> now;  ///< null: nothing was watched yet
    bool paused = false;
  };
  /// As it was last looked at.
  [[nodiscard]] look last() const;
  /// Calls `f` with the run that is watched, if it goes on and can be changed. Returns whether it did.
  bool control(const std::function<void(thalweg::execution&)>& f);
  /// The run that is watched, if it can be changed; null: there is none.
  [[nodiscard]] std::shared_ptr<subject> watched() const;

 private:
  void live();
  void take();  // under `mutex_`

  history& to_;
  const std::chrono::nanoseconds every_;
  const std::string save_;
  observe::run_facts facts_;
  mutable std::mutex mutex_;
  std::condition_variable over_changed_;
  std::shared_ptr<subject> run_;  // until it is done
  look last_;
  std::chrono::steady_clock::time_point next_{};
  bool over_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace THALWEG_NAMESPACE::live
