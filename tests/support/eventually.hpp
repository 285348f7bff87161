#pragma once

#include <chrono>
#include <thread>

/// Waits until `condition()` holds. False if it does not within a time that only a hang can take, however
/// slow the machine is.
template <class Condition>
bool eventually(Condition&& condition, std::chrono::nanoseconds within = std::chrono::seconds(30)) {
  const auto until = std::chrono::steady_clock::now() + within;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}
