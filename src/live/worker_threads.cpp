#include "worker_threads.hpp"

#include <system_error>
#include <utility>

#include "quiet_thread.hpp"

namespace THALWEG_NAMESPACE::live {

worker_threads::~worker_threads() {
  finish();
}

void worker_threads::give(std::function<void()> work) {
  threads ended;
  {
    const std::lock_guard hold(mutex_);
    waiting_.push_back(std::move(work));
    ended.swap(ended_);
    if (at_work_.size() < most_) {
      const auto self = at_work_.emplace(at_work_.end());
      try {
        *self = quiet_thread([this, self] { work_as(self); });
      } catch (const std::system_error&) {  // the system has none left: those at work do it
        at_work_.erase(self);
      }
    }
  }
  for (auto& one : ended) one.join();
}

void worker_threads::work_as(threads::iterator self) {
  std::unique_lock hold(mutex_);
  while (!waiting_.empty()) {
    {
      const auto work = std::move(waiting_.front());
      waiting_.pop_front();
      hold.unlock();
      work();
    }
    hold.lock();
  }
  ended_.splice(ended_.end(), at_work_, self);
  ended_one_.notify_all();
}

void worker_threads::finish() {
  threads ended;
  {
    std::unique_lock hold(mutex_);
    ended_one_.wait(hold, [this] { return at_work_.empty(); });
    ended.swap(ended_);
  }
  for (auto& one : ended) one.join();
  // What no thread could be had for.
  for (; !waiting_.empty(); waiting_.pop_front()) waiting_.front()();
}

}  // namespace THALWEG_NAMESPACE::live
