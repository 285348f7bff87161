// Several streams in a function: one after the other, in branches, in a loop, in a function that calls
// itself.
#include <cstdio>
#include <string>
#include <vector>

int run(int depth, std::vector<int>& all) {
  if (depth == 0) {
    return 0;
  }
  int count = 0;
  [[spar::ToStream]] for (int i = 0; i < depth; i++) {
    int value = depth * 10 + i;
    [[spar::Stage, spar::Input(value), spar::Output(value), spar::Replicate(2)]] { value = -value; }
    [[spar::Stage, spar::Input(value), spar::Output(count)]] {
      all.push_back(value);
      count++;
    }
  }
  return count + run(depth - 1, all);
}

int main() {
  std::vector<std::string> texts;
  [[spar::ToStream]] for (int i = 0; i < 20; i++) {
    std::string text;
    [[spar::Stage, spar::Input(i), spar::Output(text), spar::Replicate(2)]] { text = std::to_string(i * i); }
    [[spar::Stage, spar::Input(text)]] { texts.push_back(text); }
  }
  std::size_t length = 0;
  [[spar::ToStream]] for (const std::string& text : texts) {
    [[spar::Stage, spar::Input(text), spar::Output(length)]] { length += text.size(); }
  }
  std::printf("%zu texts, %zu characters\n", texts.size(), length);
  for (int turn = 0; turn < 3; turn++) {
    if (turn == 1) {
      [[spar::ToStream]] for (int i = 0; i < 4; i++) {
        [[spar::Stage, spar::Input(i)]] { std::printf("odd turn: %d\n", i); }
      }
    } else {
      [[spar::ToStream]] for (int i = 4; i > 0; i--) {
        [[spar::Stage, spar::Input(i)]] { std::printf("turn %d: %d\n", turn, i); }
      }
    }
  }
  std::vector<int> all;
  std::printf("%d items\n", run(4, all));
  for (const int value : all) {
    std::printf("%d ", value);
  }
  std::puts("");
  return 0;
}
