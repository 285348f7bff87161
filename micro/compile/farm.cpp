#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  int sum = 0;
  tw::run(tw::source(std::vector{1, 2, 3}) | tw::farm([](int x) { return x * 2; }) |
          tw::sink([&](int x) { sum += x; }));
  return sum == 12 ? 0 : 1;
}
