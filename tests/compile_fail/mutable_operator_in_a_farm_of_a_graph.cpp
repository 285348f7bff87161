// expect: tw::per_replica
#include <thalweg/thalweg.hpp>

namespace tw = thalweg;

int main() {
  tw::graph g;
  const auto make = [] { return [sum = 0](int x) mutable { return sum += x; }; };
  g.add(tw::map([](int x) { return x; }) | tw::farm(tw::per_replica(make)));
#ifdef WRONG
  g.add(tw::map([](int x) { return x; }) | tw::farm(make()));
#endif
}
