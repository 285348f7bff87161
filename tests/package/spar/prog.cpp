// A stream, marked in a loop: the sum of the squares of the first numbers.
#include <cstdio>

#include "range.hpp"

int main() {
  long sum = 0;
  [[spar::ToStream, spar::Output(sum)]] for (int i = 1; i <= last; ++i) {
    long square = 0;
    [[spar::Stage, spar::Input(i), spar::Output(square), spar::Replicate(2)]] { square = static_cast<long>(i) * i; }
    [[spar::Stage, spar::Input(square), spar::Output(sum)]] { sum += square; }
  }
  std::printf("%ld\n", sum);
}
