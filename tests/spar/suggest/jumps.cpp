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

// expect: 13:3: remark: this loop cannot be a stream as it is
// expect: 15:21: note: this leaves the loop; only 'break' may: keep the result in a variable, and use it behind the loop
// expect: 21:3: remark: this loop could be a stream: its source and 2 stages
// expect: 21:3: note: the source: the loop up to line 22
// expect: 23:5: note: stage 1: can be replicated
// expect: 25:5: note: stage 2: serial
// expect: 25:5: note: 'printf' reads or writes, in the order of the items
// patch: +  [[spar::ToStream]]
// patch: -    int value = shade(each);
// patch: -    if (value > 100) continue;
// patch: +    int value;
// patch: +    [[spar::Stage, spar::Input(each), spar::Output(value), spar::Replicate()]] {
// patch: +      value = shade(each);
// patch: +      if (value > 100) continue;
// patch: +    }
// patch: +    [[spar::Stage, spar::Input(value)]]
