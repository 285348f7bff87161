// expect: a container must be given by \(non-const\) reference
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1}) | tw::sink(seen));
#ifdef WRONG
  tw::run(tw::source(std::vector{1}) | tw::sink(std::vector<int>{}));
#endif
}
