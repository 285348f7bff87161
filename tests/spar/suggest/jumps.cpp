// Only break may leave a loop that becomes a stream, and what is before it is the source.
#include <cstdio>

#include "items.hpp"

static int shade(const image& of) {
  int sum = 0;
  for (const int each : of.pixels) sum += each / 3;
  return sum;
}

int found(const std::vector<image>& all) {
  for (const image& each : all) {
    const int value = shade(each);
    if (value == 3) return value;
  }
  return 0;
}

void until(const std::vector<image>& all) {
  for (const image& each : all) {
    if (each.number < 0) break;
    int value = shade(each);
    if (value > 100) continue;
    std::printf("%d\n", value);
  }
}
