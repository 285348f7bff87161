// expect: a source can only come first
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  const auto numbers = tw::source(std::vector{1});
  tw::run(numbers | tw::sink([](int) {}));
#ifdef WRONG
  (void)(numbers | numbers);
#endif
}
