#pragma once

#include <cstdint>

namespace apps {  // C++14, as programs may be
namespace primes {

/// A number, and behind the test whether it is prime.
struct candidate {
  std::uint32_t number = 0;
  bool prime = false;
};

}  // namespace primes
}  // namespace apps
