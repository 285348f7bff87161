// expect: source<T>\(f\)
#include <thalweg/thalweg.hpp>

namespace tw = thalweg;

int main() {
  const auto one = [](auto& out) { out(1); };
  tw::run(tw::source<int>(one) | tw::sink([](int) {}));
#ifdef WRONG
  tw::run(tw::source(one) | tw::sink([](int) {}));
#endif
}
