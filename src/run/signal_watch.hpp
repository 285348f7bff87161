#pragma once

#include <thalweg/version.hpp>

#include <atomic>
#include <memory>
#include <vector>

namespace THALWEG_NAMESPACE::run_detail {

class engine;

/// While it lives, the first of these signals stops a run. See `tw::stop_on`.
class signal_watch {
 public:
  signal_watch(const std::shared_ptr<engine>& run, std::vector<int> signals);
  signal_watch(const signal_watch&) = delete;
  signal_watch& operator=(const signal_watch&) = delete;
  ~signal_watch();

  [[nodiscard]] int caught() const noexcept { return caught_.load(); }

 private:
  friend class signal_desk;

  const std::weak_ptr<engine> run_;
  const std::vector<int> signals_;
  std::atomic<int> caught_{0};
};

}  // namespace THALWEG_NAMESPACE::run_detail
