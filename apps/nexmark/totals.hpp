#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "apps/nexmark/event.hpp"

namespace apps::nexmark {

/// Adds up bids by the seconds of their times: how many there are, and the sum of their hashes. The order in
/// which they come does not matter. Thread-confined.
class totals {
 public:
  void add(std::chrono::milliseconds time, const bid& of);
  /// A line for each second that has bids: `second,bids,sum`, the sum in hexadecimal digits.
  [[nodiscard]] std::string lines() const;

 private:
  struct total {
    std::uint64_t bids = 0;
    std::uint64_t sum = 0;
  };
  std::map<std::chrono::milliseconds, total> by_second_;
  std::chrono::milliseconds second_{-1};  // of the bid before
  total* of_second_ = nullptr;
};

}  // namespace apps::nexmark
