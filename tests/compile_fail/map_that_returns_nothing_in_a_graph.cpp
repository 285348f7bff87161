// expect: tw::sink|thalweg::map: .*(nothing|void)
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  tw::graph g;
  auto numbers = g.add(tw::source(std::vector{1}));
#ifdef WRONG
  auto middle = g.add(tw::map([](int) {}));
#else
  auto middle = g.add(tw::map([](int x) { return x; }));
#endif
  g.connect(numbers.out, middle.in);
  g.connect(middle.out, g.add(tw::sink([](int) {})).in);
  tw::run(g);
}
