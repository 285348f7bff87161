// expect: a source cannot be replicated
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  const auto numbers = tw::source(std::vector{1});
  tw::run(numbers | tw::sink([](int) {}));
#ifdef WRONG
  (void)tw::farm(numbers);
#endif
}
