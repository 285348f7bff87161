#include "spb/detail/running_sources.hpp"

#include <map>
#include <mutex>
#include <utility>

namespace spb::detail {
namespace {

std::mutex lock;
std::map<const void*, std::function<void()>> running;

}  // namespace

void running_sources::add(const void* source, std::function<void()> end) {
  const std::lock_guard alone(lock);
  running[source] = std::move(end);
}

void running_sources::remove(const void* source) {
  const std::lock_guard alone(lock);
  running.erase(source);
}

void running_sources::end_all() {
  const std::lock_guard alone(lock);
  for (const auto& [source, end] : running) end();
  running.clear();
}

}  // namespace spb::detail
