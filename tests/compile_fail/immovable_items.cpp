// expect: neighbours do not fit|move
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

struct fixed {
  fixed() = default;
  fixed(const fixed&) = delete;
};

int main() {
  tw::run(tw::source(std::vector{1}) | tw::map([](int x) { return x; }) | tw::sink([](int) {}));
#ifdef WRONG
  tw::run(tw::source(std::vector{1}) | tw::map([](int) { return fixed{}; }) | tw::sink([](const fixed&) {}));
#endif
}
