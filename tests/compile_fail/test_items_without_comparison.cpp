// expect: thalweg::test: these items cannot be compared with ==
#include <thalweg/test.hpp>
#include <thalweg/thalweg.hpp>

namespace tw = thalweg;

struct point {
  int x, y;
};

int main() {
  auto line = tw::map([](int x) { return point{x, x}; });
  (void)tw::test(line).send(1).take();
#ifdef WRONG
  tw::test(line).send(1).expect(point{1, 1});
#endif
}
