// expect: nothing can follow a sink
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  const auto job = tw::source(std::vector{1}) | tw::sink([](int) {});
  tw::run(job);
#ifdef WRONG
  (void)(job | tw::map([](int x) { return x; }));
#endif
}
