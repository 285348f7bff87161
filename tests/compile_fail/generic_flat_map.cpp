// expect: flat_map<U>\(f\)
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  const auto twice = [](int x, auto& out) { out(x); };
  tw::run(tw::source(std::vector{1}) | tw::flat_map<int>(twice) | tw::sink([](int) {}));
#ifdef WRONG
  tw::run(tw::source(std::vector{1}) | tw::flat_map(twice) | tw::sink([](int) {}));
#endif
}
