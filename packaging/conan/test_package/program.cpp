#include <thalweg/thalweg.hpp>

#include <ranges>

namespace tw = thalweg;

int main() {
  long sum = 0;
  const auto r = tw::run(tw::source(std::views::iota(0, 1000)) | tw::farm([](int x) { return 2 * x; }) |
                         tw::sink([&](int x) { sum += x; }));
  return r.items() == 1000 && sum == 999'000 ? 0 : 1;
}
