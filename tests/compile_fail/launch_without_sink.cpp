// expect: the job has no sink
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  const auto begin = tw::source(std::vector{1}) | tw::map([](int x) { return x; });
  (void)begin;
#ifdef WRONG
  (void)tw::launch(begin);
#endif
}
