#include <thalweg/run/executing.hpp>

namespace THALWEG_NAMESPACE::run_detail {

namespace {

// Not in the header: each library that hides its names would have one of its own.
constinit thread_local const executing* innermost = nullptr;

}  // namespace

executing::executing(const run_state& run) noexcept : run_(&run), outer_(innermost) {
  innermost = this;
}
executing::~executing() {
  innermost = outer_;
}

bool executing::operators_of(const run_state& run) noexcept {
  for (const auto* at = innermost; at != nullptr; at = at->outer_) {
    if (at->run_ == &run) return true;
  }
  return false;
}

}  // namespace THALWEG_NAMESPACE::run_detail
