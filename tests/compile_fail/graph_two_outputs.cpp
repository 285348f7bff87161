// expect: thalweg::graph: the second argument of connect must be an input
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  tw::graph g;
  auto a = g.add(tw::source(std::vector{1}));
  auto b = g.add(tw::map([](int x) { return x; }));
  g.connect(a.out, b.in);
#ifdef WRONG
  g.connect(a.out, b.out);
#endif
}
