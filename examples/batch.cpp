// batch: groups of items on purpose, such as one database transaction for many rows.
//
// A group goes on when it has so many items, or when its first item has waited so long. Thalweg does not
// need this for speed: what crosses threads is grouped anyway, without waiting (docs/natural-batching.md).
// Batch where an operator is cheaper for many items at once.
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <iostream>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

namespace tw = thalweg;
using namespace std::chrono_literals;

int main() {
  // Ten rows, then a gap much longer than the interval, then two more.
  auto rows = [n = 0]() mutable { return n < 12 ? std::optional(n++) : std::nullopt; };
  auto gap = [](int row) {
    if (row == 10) std::this_thread::sleep_for(200ms);
    return row;
  };
  std::vector<std::vector<int>> transactions;

  auto job =
      tw::source(rows) | tw::map(gap, {.blocking = true}) | tw::batch(4, 20ms) | tw::sink(transactions);
  tw::run(job);

  int total = 0;
  for (const auto& rows_of_one : transactions) {
    std::cout << rows_of_one.size() << " rows from " << rows_of_one.front() << '\n';
    total += static_cast<int>(rows_of_one.size());
  }
  // The third group does not wait for the gap to end: it has the two rows that were there.
  return total == 12 && transactions.size() >= 4 && transactions.front().size() <= 4 ? 0 : 1;
}
