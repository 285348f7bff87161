// expect: tw::run\(std::move\(job\)\)
#include <thalweg/thalweg.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace tw = thalweg;

int main() {
  auto job = tw::source(std::vector{1}) | tw::map([p = std::make_unique<int>(1)](int x) { return x + *p; }) |
             tw::sink([](int) {});
#ifdef WRONG
  (void)tw::launch(job);
#else
  (void)tw::launch(std::move(job));
#endif
}
