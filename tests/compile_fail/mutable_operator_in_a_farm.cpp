// expect: tw::per_replica
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  const auto numbers = tw::source(std::vector{1});
  const auto make = [] { return [sum = 0](int x) mutable { return sum += x; }; };
  tw::run(numbers | tw::map(make()) | tw::sink([](int) {}));
  tw::run(numbers | tw::farm(tw::per_replica(make)) | tw::sink([](int) {}));
#ifdef WRONG
  tw::run(numbers | tw::farm(make()) | tw::sink([](int) {}));
#endif
}
