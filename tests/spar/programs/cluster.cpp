// Streams that travel between processes: nothing is shared, and the last stage prints.
// mpi
#include <cstdio>
#include <string>
#include <vector>

int main() {
  int total = 0;
  [[spar::ToStream]] for (int i = 0; i < 300; i++) {
    std::vector<int> values(static_cast<std::size_t>(i % 7), i);
    std::string text = "item";
    int square[2] = {i, 0};
    [[spar::Stage, spar::Input(values, text, square), spar::Output(text, square), spar::Replicate(2)]] {
      for (const int value : values) {
        text += ' ' + std::to_string(value % 10);
      }
      square[1] = square[0] * square[0];
      if (square[1] % 11 == 5) continue;
    }
    [[spar::Stage, spar::Input(text, square), spar::Output(total)]] {
      total += square[1] % 1000;
      std::printf("%s %d %d\n", text.c_str(), square[1], total);
    }
  }
  return 0;
}
