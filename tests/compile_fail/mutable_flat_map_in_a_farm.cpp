// expect: tw::per_replica
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  const auto numbers = tw::source(std::vector{1});
  const auto twice = tw::flat_map([n = 0](int x, tw::emitter<int>& out) mutable { out(x + n++); });
  tw::run(numbers | twice | tw::sink([](int) {}));
#ifdef WRONG
  tw::run(numbers | tw::farm(tw::map([](int x) { return x; }) | twice) | tw::sink([](int) {}));
#endif
}
