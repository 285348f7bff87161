#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace apps {

/// A line on the terminal of standard error that says how far a piece of work is and how long it still takes.
/// Shows nothing where that is no terminal, and nothing remains of it.
class progress_bar {
 public:
  explicit progress_bar(std::string title);
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;
  ~progress_bar();

  void show(std::uint64_t done, std::uint64_t all);

 private:
  using clock = std::chrono::steady_clock;

  std::string title_;
  clock::time_point start_ = clock::now();
  clock::time_point next_ = start_;
};

}  // namespace apps
