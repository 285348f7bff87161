// Pipelines are values: a function returns one, and one is used in several places.
//
// `composite` gives a line of stages a name of its own, so that its stages are called `clean/...` in
// reports, traces and errors; used twice, the second is `clean#2/...`. It costs nothing at run time. A job
// that is run again starts afresh: its operators are copied for each run.
#include <thalweg/thalweg.hpp>

#include <iostream>
#include <vector>

namespace tw = thalweg;

/// Keeps what lies inside the limits and smooths it. The state is each run's own.
auto clean(int low, int high) {
  return tw::composite(
      "clean", tw::filter([=](int x) { return low <= x && x <= high; }, {.name = "clip"}) |
                   tw::map([last = 0](int x) mutable { return last = (last + x) / 2; }, {.name = "smooth"}));
}

int main() {
  const std::vector<int> measured{10, 500, 12, 14, -70, 16};
  std::vector<int> seen;

  auto job = tw::source(measured) | clean(0, 100) | clean(0, 10) | tw::sink(seen);
  const tw::report first = tw::run(job);
  const tw::report second = tw::run(job);

  for (const auto& stage : first.stages()) std::cout << stage.name() << ": " << stage.items_in() << " in\n";
  const std::vector<int> once(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(seen.size() / 2));
  std::vector<int> twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  return seen == twice &&
                 second.stage("clean#2/smooth").items_in() == first.stage("clean#2/smooth").items_in()
             ? 0
             : 1;
}
