// expect: thalweg::test: the operator takes items of any type
#include <thalweg/test.hpp>
#include <thalweg/thalweg.hpp>

namespace tw = thalweg;

int main() {
  tw::test<int>(tw::map([](auto x) { return x + 1; })).send(1).expect(2);
#ifdef WRONG
  tw::test(tw::map([](auto x) { return x + 1; })).expect(2);
#endif
}
