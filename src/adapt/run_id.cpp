#include "run_id.hpp"

#include <atomic>
#include <cerrno>

#include <unistd.h>

namespace THALWEG_NAMESPACE::adaptation {

std::string new_run_id() {
  static std::atomic<int> runs{0};
  return std::string(program_invocation_short_name) + "." + std::to_string(::getpid()) + "." +
         std::to_string(++runs);
}

}  // namespace THALWEG_NAMESPACE::adaptation
