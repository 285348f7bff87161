#pragma once

#include <chrono>

/// Keeps the processor busy for about so long.
inline void spin_for(std::chrono::nanoseconds time) {
  if (time.count() == 0) return;
  for (const auto until = std::chrono::steady_clock::now() + time;
       std::chrono::steady_clock::now() < until;) {
  }
}
