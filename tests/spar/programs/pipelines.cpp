// From one stage to many; serial ones and replicated ones in each order; variables that pass by stages.
#include <cstdio>
#include <string>

int main() {
  [[spar::ToStream]] for (int i = 0; i < 10; i++) {
    [[spar::Stage, spar::Input(i)]] { std::printf("one stage: %d\n", i); }
  }
  long total = 0;
  [[spar::ToStream]] for (int i = 0; i < 50; i++) {
    int a = i;
    int b = 0;
    long c = 1;
    std::string kept = "kept " + std::to_string(i);
    [[spar::Stage, spar::Input(a), spar::Output(b)]] { b = a * 2; }
    [[spar::Stage, spar::Input(b, c), spar::Output(c), spar::Replicate(2)]] { c += b; }
    [[spar::Stage, spar::Input(a), spar::Output(a), spar::Replicate(3)]] { a = -a; }
    [[spar::Stage, spar::Input(c), spar::Output(c)]] { c *= 2; }
    [[spar::Stage, spar::Input(a, b, c, kept), spar::Output(kept), spar::Replicate(2)]] {
      kept += " " + std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(c);
    }
    [[spar::Stage, spar::Input(kept, c), spar::Output(total)]] {
      std::puts(kept.c_str());
      total += c;
    }
  }
  std::printf("%ld\n", total);
  [[spar::ToStream]] for (int i = 0; i < 40; i++) {
    [[spar::Stage, spar::Input(i), spar::Replicate(2)]] {
      if (i < 0) {
        std::puts("never");
      }
    }
  }
  return 0;
}
