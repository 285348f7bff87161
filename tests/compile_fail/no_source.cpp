// expect: the job has no source
#include <thalweg/thalweg.hpp>

namespace tw = thalweg;

int main() {
  const auto rest = tw::map([](int x) { return x; }) | tw::sink([](int) {});
  (void)rest;
#ifdef WRONG
  tw::run(rest);
#endif
}
