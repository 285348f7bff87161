#include <iostream>
#include <thalweg/thalweg.hpp>
namespace tw = thalweg;

int main() {
  auto numbers = [n = 0]() mutable { return n < 100'000 ? std::optional(n++) : std::nullopt; };
  auto spread = [](unsigned x) { return x * 0x9E3779B9U >> 16U; };
  unsigned sum = 0;
  auto job = tw::source(numbers)                                // until it returns nothing
           | tw::farm(spread, {.name = "spread"})               // as many replicas as help; order is kept
           | tw::sink([&](unsigned x) { sum = 31 * sum + x; });  // sees what a plain loop would see
  tw::report r = tw::run(job);
  std::cout << sum << '\n' << r << r.bottleneck().advice << '\n';
}
