// expect: (?s)(?=.*write line.out and line.in)(?!.*error:.*error:)
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  tw::graph g;
  auto a = g.add(tw::source(std::vector{1}));
  auto b = g.add(tw::sink([](int) {}));
  g.connect(a.out, b.in);
#ifdef WRONG
  g.connect(a, b);
#endif
}
