#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  int sum = 0;
  tw::run(tw::source(std::vector{1, 2, 3}) | tw::sink([&](int x) { sum += x; }));
  return sum == 6 ? 0 : 1;
}
