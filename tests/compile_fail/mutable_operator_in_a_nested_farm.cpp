// expect: tw::per_replica
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  const auto numbers = tw::source(std::vector{1});
  const auto sum = tw::map([n = 0](int x) mutable { return n += x; });
  tw::run(numbers | tw::composite("part", sum) | tw::sink([](int) {}));
#ifdef WRONG
  tw::run(numbers | tw::farm(tw::composite("part", sum)) | tw::sink([](int) {}));
#endif
}
