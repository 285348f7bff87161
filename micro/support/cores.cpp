#include "cores.hpp"

#include <thread>

#include <sched.h>

namespace micro {

int cores() {
  static const int count = [] {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
    return static_cast<int>(std::thread::hardware_concurrency());
  }();
  return count;
}

}  // namespace micro
