// How many replicas: a literal, a variable, an expression, a member, a call, or the environment.
#include <cstdio>

struct settings {
  int workers = 2;
};

int half(int number) {
  return number / 2;
}

int main() {
  const settings chosen;
  unsigned workers = 1;
  long sum = 0;
  [[spar::ToStream]] for (int i = 0; i < 100; i++) {
    long value = i;
    [[spar::Stage, spar::Input(value), spar::Output(value), spar::Replicate(3)]] { value += 1; }
    [[spar::Stage, spar::Input(value), spar::Output(value), spar::Replicate(workers)]] { value *= 2; }
    [[spar::Stage, spar::Input(value), spar::Output(value), spar::Replicate(2 * workers + 1)]] { value += 3; }
    [[spar::Stage, spar::Input(value), spar::Output(value), spar::Replicate(chosen.workers)]] { value *= 5; }
    [[spar::Stage, spar::Input(value), spar::Output(value), spar::Replicate(half(6))]] { value -= 7; }
    [[spar::Stage, spar::Input(value), spar::Output(value), spar::Replicate()]] { value *= 11; }
    [[spar::Stage, spar::Input(value), spar::Output(value), spar::Replicate]] { value ^= 13; }
    [[spar::Stage, spar::Input(value), spar::Output(sum)]] { sum = sum * 3 % 1000003 + value; }
  }
  std::printf("%ld\n", sum);
  return 0;
}
