#include "latency_target.hpp"

#include <algorithm>

namespace THALWEG_NAMESPACE::adaptation {

namespace {

constexpr double lower = 0.85, raise = 1.08, least = 0.2;
// Windows in a row: one alone may be chance.
constexpr int too_late = 2, early = 10;

}  // namespace

void latency_target::look(const window& w) {
  if (w.latency.empty() || useless_) return;
  const auto is = static_cast<double>(w.latency.quantile(w.goal.quantile));
  const auto limit = static_cast<double>(w.goal.limit.count());
  above_ = is > limit ? above_ + 1 : 0;
  below_ = is < 0.5 * limit ? below_ + 1 : 0;
  if (above_ >= too_late) {
    above_ = 0;
    too_much_ = std::min(too_much_, now_);
    if (before_ > 0 && is > 0.95 * before_) {
      now_ = most_;  // items take as long as that by themselves
      useless_ = true;
      return;
    }
    before_ = is;
    now_ = std::max(now_ * lower, least);
  } else if (below_ >= early) {
    below_ = 0;
    before_ = 0;
    const auto more = std::min(now_ * raise, most_);
    if (more < too_much_) now_ = more;
  }
}

void latency_target::forget() noexcept {
  too_much_ = 2 * most_;
  before_ = 0;
  useless_ = false;
  above_ = below_ = 0;
}

}  // namespace THALWEG_NAMESPACE::adaptation
