// expect: thalweg::window: the function must be callable with all items of a window
#include <thalweg/thalweg.hpp>

#include <numeric>
#include <span>
#include <vector>

namespace tw = thalweg;

int main() {
  auto sum = [](std::span<const int> all) { return std::accumulate(all.begin(), all.end(), 0); };
  tw::run(tw::source(std::vector{1}) | tw::window(tw::count(2), sum) |
          tw::sink([](const tw::windowed<int>&) {}));
#ifdef WRONG
  auto add = [](int a, int b) { return a + b; };
  tw::run(tw::source(std::vector{1}) | tw::window(tw::count(2), add) |
          tw::sink([](const tw::windowed<int>&) {}));
#endif
}
