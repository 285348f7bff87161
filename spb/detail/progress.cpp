#include "spb/detail/progress.hpp"

#include <thalweg/observe/text.hpp>

#include <utility>

#include "apps/support/terminal_line.hpp"

namespace spb::detail {

progress::progress(std::string program) : sampler(1'000'000'000), program_(std::move(program)) {
  start();
}

progress::~progress() {
  stop();
  apps::wipe_line();
}

void progress::add() {
  using namespace thalweg::observe;
  const auto now = take_sample(false);
  constexpr std::int64_t long_enough = 500'000'000;  // not at once again at the end
  if (before_ && now.time_ns - before_->time_ns < long_enough) return;
  if (before_) {
    apps::show_line(program_ + ": " + count_text(now.elements) + " elements in " +
                    duration_text(static_cast<double>(now.time_ns - first_->time_ns)) + ", now " +
                    rate_text(rate_between(*before_, now)));
  } else {
    first_ = now;
  }
  before_ = now;
}

}  // namespace spb::detail
