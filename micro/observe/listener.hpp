// Who looks at a page: hears its events, and does nothing with them.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>

namespace micro {

/// Listens to the events of the page at a port of this machine, with a thread, until it is destroyed.
class listener {
 public:
  /// Throws std::system_error if nothing answers there.
  explicit listener(int port);
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;
  ~listener();

  /// How many bytes it has heard.
  std::size_t heard() const { return heard_; }

 private:
  int connection_;
  std::atomic<std::size_t> heard_{0};
  std::thread thread_;
};

}  // namespace micro
