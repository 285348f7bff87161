// expect: farm: an any_pipeline cannot be replicated
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  const tw::any_pipeline<int, int> steps = tw::map([](int x) { return x; });
#ifdef WRONG
  auto made = tw::farm(steps);
#else
  auto made = steps;
#endif
  tw::run(tw::source(std::vector{1}) | made | tw::sink([](int) {}));
}
