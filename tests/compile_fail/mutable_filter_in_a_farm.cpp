// expect: tw::per_replica
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  const auto numbers = tw::source(std::vector{1});
  const auto changed = tw::filter([last = 0](int x) mutable { return (last = x) > 0; });
  tw::run(numbers | changed | tw::sink([](int) {}));
#ifdef WRONG
  tw::run(numbers | tw::farm(changed) | tw::sink([](int) {}));
#endif
}
