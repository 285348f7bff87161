#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  int sum = 0;
  tw::run(tw::source(std::vector{1, 2, 3}) | tw::flat_map([](int x, tw::emitter<int>& out) {
            out(x);
            out(x);
          }) |
          tw::sink([&](int x) { sum += x; }));
  return sum == 12 ? 0 : 1;
}
