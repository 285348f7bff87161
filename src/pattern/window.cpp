#include <thalweg/pattern/window/spec.hpp>

#include <stdexcept>
#include <string>

namespace THALWEG_NAMESPACE::model {

namespace {

void check_size(std::int64_t size, const char* what, stage_info& info) {
  if (size <= 0) info.problems.push_back(std::string("the ") + what + " of its windows must be positive");
  if (size > largest_window)
    info.problems.push_back(std::string("the ") + what + " of its windows is too large");
}

void check_pair(std::int64_t size, std::int64_t slide, stage_info& info) {
  check_size(size, "size", info);
  if (slide != size) check_size(slide, "slide", info);
  if (slide > size && size > 0)
    info.problems.emplace_back("the slide of its windows is larger than their size: items would be left out");
}

}  // namespace

void time_out_of_range() {
  throw std::out_of_range("the time of an item is more than 146 years from the epoch, or NaN");
}

void check_windows(const time_windows& w, stage_info& info) {
  check_pair(w.size.count(), w.slide.count(), info);
}
void check_windows(const session_windows& w, stage_info& info) {
  check_size(w.gap.count(), "gap", info);
}
void check_windows(const count_windows& w, stage_info& info) {
  check_pair(w.size, w.slide, info);
}

void check_times(const event_time_options& o, stage_info& info) {
  const auto check = [&](std::int64_t t, const char* what) {
    if (t < 0) info.problems.push_back(std::string(what) + " is negative");
    if (t > largest_window) info.problems.push_back(std::string(what) + " is too large");
  };
  check(o.disorder.count(), ".disorder");
  check(o.lateness.count(), ".lateness");
  check(o.max_ahead.count(), ".max_ahead");
  check(o.idle_after.count(), ".idle_after");
}

}  // namespace THALWEG_NAMESPACE::model
