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
