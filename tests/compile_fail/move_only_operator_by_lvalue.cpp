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
  tw::run(job);
#else
  tw::run(std::move(job));
#endif
}
