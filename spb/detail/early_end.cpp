#include "spb/detail/early_end.hpp"

#include <mutex>
#include <string>
#include <utility>

#include "apps/support/error.hpp"
#include "spb/detail/recorder.hpp"

namespace spb::detail {
namespace {

std::mutex lock;
std::function<bool()> noted;

}  // namespace

void note_early_end(std::function<bool()> more_comes) {
  const std::lock_guard alone(lock);
  noted = std::move(more_comes);
}

void check_early_end() {
  std::function<bool()> more_comes;
  {
    const std::lock_guard alone(lock);
    more_comes = std::exchange(noted, nullptr);
  }
  if (more_comes && more_comes())
    throw apps::error("the stream ends before its input, after " + std::to_string(totals::taken()) +
                      " elements: the frequency asks for no more (a trace at its end, or a rate at which "
                      "the next element is due in more than 30 years)");
}

void forget_early_end() {
  const std::lock_guard alone(lock);
  noted = nullptr;
}

}  // namespace spb::detail
