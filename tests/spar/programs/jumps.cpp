// break and continue: of the source, of stages, of loops and switches within them.
#include <cstdio>
#include <string>

void of_the_source() {
  [[spar::ToStream]] for (int i = 0;; i++) {
    if (i % 4 == 1) {
      continue;
    }
    int value = i;
    for (int j = 0; j < 10; j++) {
      if (j == i % 6) {
        break;
      }
      if (j % 2 == 0) {
        continue;
      }
      value += j;
    }
    switch (i) {
      case 3:
        value += 1000;
        break;
      case 8:
        continue;
      default:
        break;
    }
    if (value > 60) {
      break;
    }
    [[spar::Stage, spar::Input(value), spar::Output(value), spar::Replicate(2)]] { value *= 2; }
    [[spar::Stage, spar::Input(i, value)]] { std::printf("source %d %d\n", i, value); }
  }
}

void of_stages() {
  int left_out = 0;
  [[spar::ToStream]] for (int i = 0; i < 60; i++) {
    int value = i;
    [[spar::Stage, spar::Input(value), spar::Output(value), spar::Replicate(3)]] {
      if (value % 3 == 0) continue;
      value *= 7;
    }
    [[spar::Stage, spar::Input(value), spar::Output(left_out)]] {
      if (value % 5 == 0) {
        left_out++;
        continue;
      }
    }
    [[spar::Stage, spar::Input(value)]] {
      if (value % 2 == 0) continue;
      std::printf("stage %d\n", value);
    }
  }
  std::printf("left out %d\n", left_out);
}

void within_stages() {
  [[spar::ToStream]] for (int i = 0; i < 30; i++) {
    std::string text;
    [[spar::Stage, spar::Input(i), spar::Output(text), spar::Replicate(2)]] {
      for (int j = 0;; j++) {
        if (j > i) break;
        if (j % 2 == 1) continue;
        int k = j;
        while (true) {
          if (k == 0) break;
          k /= 2;
        }
        switch (j % 4) {
          case 0:
            text += 'a';
            break;
          case 2:
            text += 'b';
            continue;
          default:
            text += 'c';
        }
        do {
          text += '.';
          if (text.size() % 3 == 0) continue;
        } while (false);
      }
    }
    [[spar::Stage, spar::Input(text)]] { std::puts(text.c_str()); }
  }
}

int main() {
  of_the_source();
  of_stages();
  within_stages();
  return 0;
}
