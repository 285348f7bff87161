// expect: tw::sink|thalweg::map: .*(nothing|void)
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  tw::run(tw::source(std::vector{1}) | tw::map([](int x) { return x; }) | tw::sink([](int) {}));
#ifdef WRONG
  tw::run(tw::source(std::vector{1}) | tw::map([](int) {}) | tw::sink([](int) {}));
#endif
}
