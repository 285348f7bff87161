// expect: (?s)(?=.*on_start)(?=.*tw::per_replica)
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

struct opener {
  int opened = 0;
  void on_start() { ++opened; }
  int operator()(int x) const { return x; }
};

int main() {
  const auto numbers = tw::source(std::vector{1});
  tw::run(numbers | tw::map(opener{}) | tw::sink([](int) {}));
  tw::run(numbers | tw::farm(tw::per_replica([] { return opener{}; })) | tw::sink([](int) {}));
#ifdef WRONG
  tw::run(numbers | tw::farm(opener{}) | tw::sink([](int) {}));
#endif
}
