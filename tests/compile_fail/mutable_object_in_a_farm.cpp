// expect: tw::per_replica
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

struct keeper {
  int last = 0;
  int operator()(int x) { return last = x; }
};

int main() {
  const auto numbers = tw::source(std::vector{1});
  tw::run(numbers | tw::farm(tw::per_replica([] { return keeper{}; })) | tw::sink([](int) {}));
#ifdef WRONG
  tw::run(numbers | tw::farm(keeper{}) | tw::sink([](int) {}));
#endif
}
