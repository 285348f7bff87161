// thalweg::Unordered: items leave as soon as they are done. All come, whatever the order.
#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
  std::vector<int> results;
  [[spar::ToStream]] for (int i = 0; i < 300; i++) {
    int value = 0;
    [[spar::Stage, spar::Input(i), spar::Output(value), spar::Replicate(3), thalweg::Unordered]] {
      value = i * 11 % 307;
    }
    [[spar::Stage, spar::Input(value)]] { results.push_back(value); }
  }
  std::sort(results.begin(), results.end());
  for (const int value : results) {
    std::printf("%d ", value);
  }
  std::puts("");
  return 0;
}
