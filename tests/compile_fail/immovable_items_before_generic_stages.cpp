// expect: cannot be moved
#include <thalweg/thalweg.hpp>

#include <optional>
#include <vector>

namespace tw = thalweg;

struct fixed {
  fixed() = default;
  fixed(const fixed&) = delete;
};

int main() {
  const auto rest = tw::batch(2) | tw::map([](auto v) { return v.size(); }) | tw::sink([](auto) {});
  tw::run(tw::source(std::vector{1}) | tw::map([](int x) { return x; }) | rest);
#ifdef WRONG
  tw::run(tw::source(std::vector{1}) | tw::map([](int) { return fixed{}; }) | rest);
#endif
}
