// expect: a container must be given by \(non-const\) reference
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  const std::vector<int> full;
  (void)full;
#ifdef WRONG
  tw::run(tw::source(std::vector{1}) | tw::sink(full));
#endif
}
