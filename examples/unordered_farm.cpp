// An unordered farm: items leave as soon as they are done.
//
// `.unordered = true` gives up the order behind the farm: no result waits for a slower one before it. The
// same items come out, each once, in any order. Use it where the rest does not look at the order, as here,
// where everything ends in a set.
#include <thalweg/thalweg.hpp>

#include <iostream>
#include <ranges>
#include <set>

namespace tw = thalweg;

int main() {
  std::set<int> squares;

  auto job = tw::source(std::views::iota(0, 10'000)) |
             tw::farm([](int x) { return x % 1'000 * (x % 1'000); }, {.unordered = true}) | tw::sink(squares);
  const tw::report report = tw::run(job);

  std::cout << report.items() << " items, " << squares.size() << " different squares, the largest "
            << *squares.rbegin() << '\n';
  return report.items() == 10'000 && squares.size() == 1'000 ? 0 : 1;
}
