#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  int sum = 0;
  tw::run(tw::source(std::vector{1, 2, 3}) | tw::filter([](const int& x) { return x > 1; }) |
          tw::sink([&](int x) { sum += x; }));
  return sum == 5 ? 0 : 1;
}
