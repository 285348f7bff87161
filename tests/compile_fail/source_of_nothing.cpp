// expect: std::optional<T>
#include <thalweg/thalweg.hpp>

#include <optional>
#include <utility>

namespace tw = thalweg;

int main() {
  const auto rest = tw::map([](auto x) { return x + 1; }) | tw::sink([](int) {});
  auto none = [] { return std::optional<int>(); };
  tw::any_pipeline<void, void> job = tw::source(none) | rest;
  tw::run(tw::source(none) | rest);
#ifdef WRONG
  tw::run(tw::source([] {}) | rest);
#endif
}
