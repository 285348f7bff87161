// expect: thalweg::key_by: the update gives no output
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  const auto key = [](int x) { return x; };
  const auto rest = tw::map([](auto x) { return x + 1; }) | tw::sink([](auto) {});
  tw::run(tw::source(std::vector{1}) | tw::key_by(key, [](int& n, int x) { return n += x; }) | rest);
#ifdef WRONG
  tw::run(tw::source(std::vector{1}) | tw::key_by(key, [](int& n, int x) { n += x; }) | rest);
#endif
}
