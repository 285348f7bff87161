// expect: tw::per_replica
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  const auto numbers = tw::source(std::vector{1});
  const auto end = tw::sink([n = 0](int) mutable { ++n; });
  tw::run(numbers | end);
#ifdef WRONG
  tw::run(numbers | tw::farm(end));
#endif
}
