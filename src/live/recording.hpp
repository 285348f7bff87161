#pragma once

#include <thalweg/version.hpp>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "control.hpp"
#include "sampler.hpp"

namespace THALWEG_NAMESPACE::live {

/// Records traces of the run that is watched, one at a time, each for a while. A thread waits for the end of
/// that time, or of the run; no client does. The last trace is kept. Thread-safe.
class recording {
 public:
  explicit recording(sampler& runs) : runs_(runs) {}
  recording(const recording&) = delete;
  recording& operator=(const recording&) = delete;
  ~recording();

  /// Begins one, for as long as a request says; 202, or what is wrong with that.
  [[nodiscard]] outcome begin(std::string_view body);

  /// The answer to who asks for it.
  struct answer {
    int status;
    /// 200: the trace that was recorded last. 202: one is being recorded, and this is the last second of it.
    std::shared_ptr<const std::string> trace{};
    std::string error{};  ///< 404: nothing was recorded; 409: it could not be
    std::chrono::nanoseconds left{0};
  };
  [[nodiscard]] answer now() const;

 private:
  using clock = std::chrono::steady_clock;

  void end_in_time(const std::shared_ptr<subject>& run);

  sampler& runs_;
  std::mutex beginning_;  // one client after the other
  mutable std::mutex mutex_;
  std::condition_variable closing_;
  bool closed_ = false, goes_on_ = false;
  std::shared_ptr<subject> run_;  // that is recorded, or was last
  clock::time_point until_{};
  std::shared_ptr<const std::string> trace_;
  std::string error_;
  std::thread thread_;
};

}  // namespace THALWEG_NAMESPACE::live
