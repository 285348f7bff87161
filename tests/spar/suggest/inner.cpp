// The outer loop cannot be a stream, but the inner one can.
#include <cstdio>

static int work(int value) {
  for (int i = 0; i < 100; ++i) value = value * 3 + 1;
  return value;
}

static int state = 1;

int run(int count) {
  for (int round = 0; round < count; ++round) {
    if (state == 7) return round;
    for (int i = 0; i < 10; ++i) {
      int value = work(i + round);
      std::printf("%d\n", value);
    }
    state += work(state);
  }
  return count;
}

// expect: 12:3: remark: this loop cannot be a stream as it is
// expect: 13:21: note: this leaves the loop; only 'break' may: keep the result in a variable, and use it behind the loop
// expect: 14:5: remark: this loop could be a stream: its source and 2 stages
// expect: 14:5: note: the source: the head of the loop
// expect: 15:7: note: stage 1: can be replicated
// expect: 16:7: note: stage 2: serial
// expect: 16:7: note: 'printf' reads or writes, in the order of the items
// patch: +    [[spar::ToStream]]
// patch: -      int value = work(i + round);
// patch: +      int value;
// patch: +      [[spar::Stage, spar::Input(i), spar::Output(value), spar::Replicate()]]
// patch: +      value = work(i + round);
// patch: +      [[spar::Stage, spar::Input(value)]]
