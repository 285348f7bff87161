// A stream within a stage of another, and one within the source.
#include <cstdio>
#include <vector>

int main() {
  [[spar::ToStream]] for (int i = 1; i < 8; i++) {
    std::vector<int> values;
    [[spar::Stage, spar::Input(i), spar::Output(values), spar::Replicate(2)]] {
      [[spar::ToStream]] for (int j = 0; j < i; j++) {
        int product = 0;
        [[spar::Stage, spar::Input(i, j), spar::Output(product), spar::Replicate(2)]] { product = i * j; }
        [[spar::Stage, spar::Input(product)]] { values.push_back(product); }
      }
    }
    [[spar::Stage, spar::Input(i, values)]] {
      std::printf("%d:", i);
      for (const int value : values) {
        std::printf(" %d", value);
      }
      std::puts("");
    }
  }
  return 0;
}
