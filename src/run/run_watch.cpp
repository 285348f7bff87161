#include "run_watch.hpp"

#include <atomic>
#include <mutex>
#include <utility>

namespace THALWEG_NAMESPACE::run_detail {

namespace {

constinit std::atomic<bool> watched{false};
constinit std::mutex changing;

std::shared_ptr<run_watch>& the_one() {
  static std::shared_ptr<run_watch> one;
  return one;
}

}  // namespace

void watch_runs(std::shared_ptr<run_watch> by) {
  const std::lock_guard hold(changing);
  watched = by != nullptr;
  the_one().swap(by);
}

std::shared_ptr<run_watch> watcher_of_runs() {
  if (!watched.load(std::memory_order_acquire)) return nullptr;
  const std::lock_guard hold(changing);
  return the_one();
}

}  // namespace THALWEG_NAMESPACE::run_detail
