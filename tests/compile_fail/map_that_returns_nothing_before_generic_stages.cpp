// expect: tw::sink|thalweg::map: .*(nothing|void)
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  const auto rest = tw::map([](auto x) { return x + 1; }) | tw::filter([](const auto& x) { return x > 0; }) |
                    tw::batch(2) | tw::sink([](auto v) { return v.size(); });
  tw::run(tw::source(std::vector{1}) | tw::farm([](int x) { return x; }) | rest);
#ifdef WRONG
  tw::run(tw::source(std::vector{1}) | tw::farm([](int) {}) | rest);
#endif
}
