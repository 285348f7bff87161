/// Prime numbers by trial division: a number is tested by itself, by brute force.
///
/// ```cpp
/// namespace primes = apps::primes;
/// const auto range = apps::read_range("range.txt");
/// primes::source source(range);
/// primes::sink sink("primes.txt", range);
/// while (const auto number = source()) sink(primes::primality(*number));
/// sink.close();
/// ```
///
/// Numbers are independent of each other, and the sink takes them in any order.
#pragma once

#include <cstdint>
#include <optional>

#include "apps/primes/candidate.hpp"
#include "apps/primes/sink.hpp"
#include "apps/support/application.hpp"
#include "apps/support/range.hpp"

namespace apps::primes {

/// Gives the numbers of a range, in ascending order.
class source {
 public:
  explicit source(const range& of) : next_(of.first), last_(of.last) {}
  /// The next number; nothing behind the last.
  std::optional<candidate> operator()() {
    if (next_ > last_) return std::nullopt;
    return candidate{next_++, false};
  }

 private:
  std::uint32_t next_, last_;
};

/// Finds out whether the number is prime: divides it by 2, 3, 4, ... until one of them leaves no rest. It
/// does not stop at the square root, as its purpose is to cost something: nothing for even numbers, and as
/// many divisions as the number is large for primes.
inline candidate primality(candidate of) {
  std::uint32_t divisor = 2;
  while (divisor < of.number && of.number % divisor != 0) ++divisor;
  of.prime = divisor == of.number;
  return of;
}

/// What tools need to know.
const application& about();

}  // namespace apps::primes
