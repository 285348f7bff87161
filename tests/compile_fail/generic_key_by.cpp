// expect: thalweg::key_by: a generic lambda does not show the type of the state
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  std::vector<int> numbers{1, 2};
  const auto key = [](int x) { return x; };
  tw::run(tw::source(numbers) | tw::key_by(key, [](int& n, int x) { return n += x; }) | tw::sink([](int) {}));
#ifdef WRONG
  tw::run(tw::source(numbers) | tw::key_by(key, [](auto& n, int x) { return n += x; }) |
          tw::sink([](int) {}));
#endif
}
