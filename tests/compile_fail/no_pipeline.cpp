// expect: runnable
#include <thalweg/thalweg.hpp>

namespace tw = thalweg;

int main() {
  const int job = 0;
  (void)job;
#ifdef WRONG
  tw::run(job);
#endif
}
