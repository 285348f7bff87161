#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  const auto twice = [](int x) { return x * 2; };
  const auto any = [](const int&) { return true; };
  int sum = 0;
  tw::run(tw::source(std::vector{1, 2, 3}) | tw::map(twice) | tw::filter(any) | tw::farm(twice) |
          tw::map(twice) | tw::farm(tw::map(twice) | tw::filter(any)) | tw::map(twice) | tw::filter(any) |
          tw::sink([&](int x) { sum += x; }));
  return sum == 192 ? 0 : 1;
}
