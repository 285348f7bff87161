// expect: tw::per_replica
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1}) | tw::sink(seen));
#ifdef WRONG
  tw::run(tw::source(std::vector{1}) | tw::farm(tw::sink(seen)));
#endif
}
