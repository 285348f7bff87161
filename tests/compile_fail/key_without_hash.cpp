// expect: thalweg::key_by: the key has no std::hash
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

struct point {
  int x, y;
  bool operator==(const point&) const = default;
};

int main() {
  std::vector<int> numbers{1, 2};
  tw::run(tw::source(numbers) | tw::key_by([](int x) { return x; }) | tw::sink([](auto) {}));
#ifdef WRONG
  tw::run(tw::source(numbers) | tw::key_by([](int x) { return point{x, x}; }) | tw::sink([](auto) {}));
#endif
}
