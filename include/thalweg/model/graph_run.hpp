#pragma once

#include <thalweg/version.hpp>

#include <functional>
#include <memory>
#include <mutex>

namespace THALWEG_NAMESPACE::model {

/// Whether a graph is being run, and how that run can be ended: shared by the graph and its run, each of
/// which may be gone before the other. All functions may be called from any thread.
class graph_run {
 public:
  /// A run begins. False: one goes on already.
  [[nodiscard]] bool begin();
  [[nodiscard]] bool goes_on() const;
  /// `cancel_and_wait` ends the run that goes on, and returns when no thread of it is left.
  void ended_by(std::function<void()> cancel_and_wait);
  /// The run is over.
  void over();
  /// Ends the run that goes on, if any.
  void end();

 private:
  mutable std::mutex lock_;
  bool goes_on_ = false;
  std::function<void()> cancel_and_wait_;
};

}  // namespace THALWEG_NAMESPACE::model
