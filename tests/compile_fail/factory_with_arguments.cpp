// expect: the factory must be callable without arguments
#include <thalweg/thalweg.hpp>

namespace tw = thalweg;

int main() {
  (void)tw::per_replica([] { return [](int x) { return x; }; });
#ifdef WRONG
  (void)tw::per_replica([](int) { return [](int x) { return x; }; });
#endif
}
