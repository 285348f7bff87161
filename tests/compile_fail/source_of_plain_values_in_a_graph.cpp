// expect: std::optional<T>
#include <thalweg/thalweg.hpp>

#include <optional>

namespace tw = thalweg;

int main() {
  tw::graph g;
#ifdef WRONG
  auto numbers = g.add(tw::source([] { return 1; }));
#else
  auto numbers = g.add(tw::source([] { return std::optional<int>(); }));
#endif
  g.connect(numbers.out, g.add<int>(tw::map([](auto x) { return x + 1; }) | tw::sink([](int) {})).in);
}
