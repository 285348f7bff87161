// expect: composite: the stages of an any_pipeline
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  const tw::any_pipeline<int, int> steps = tw::map([](int x) { return x; });
#ifdef WRONG
  auto made = tw::composite("steps", steps);
#else
  auto made = steps;
#endif
  tw::run(tw::source(std::vector{1}) | made | tw::sink([](int) {}));
}
