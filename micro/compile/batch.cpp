#include <thalweg/thalweg.hpp>

#include <chrono>
#include <vector>

namespace tw = thalweg;

int main() {
  int sum = 0;
  tw::run(tw::source(std::vector{1, 2, 3}) | tw::batch(2, std::chrono::milliseconds(1)) | tw::unbatch() |
          tw::sink([&](int x) { sum += x; }));
  return sum == 6 ? 0 : 1;
}
