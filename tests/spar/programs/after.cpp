// What variables hold after the loop: what the last serial stage, or the source, gave them.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

int main() {
  // A sum, and the last item.
  int total = 0;
  int last = -1;
  [[spar::ToStream, spar::Output(total, last)]] for (int i = 1; i <= 60; i++) {
    int square = 0;
    [[spar::Stage, spar::Input(i), spar::Output(square), spar::Replicate(3)]] { square = i * i; }
    [[spar::Stage, spar::Input(square), spar::Output(total, last)]] {
      total += square;
      last = square;
    }
  }
  std::printf("%d %d\n", total, last);

  // Written in the middle by a serial stage, read after the loop.
  int highest = 0;
  std::string longest;
  [[spar::ToStream]] for (int i = 0; i < 40; i++) {
    int value = (i * 17) % 41;
    std::string text;
    [[spar::Stage, spar::Input(value), spar::Output(highest)]] { highest = std::max(highest, value); }
    [[spar::Stage, spar::Input(value), spar::Output(text), spar::Replicate(2)]] {
      text.assign(static_cast<std::size_t>(value % 9), 'x');
    }
    [[spar::Stage, spar::Input(text), spar::Output(longest)]] {
      if (text.size() > longest.size()) {
        longest = text;
      }
    }
  }
  std::printf("%d %s\n", highest, longest.c_str());

  // Changed by the source alone.
  int position = 0;
  int odd = 0;
  std::vector<int> seen;
  [[spar::ToStream]] while (position < 100) {
    position += 7;
    if (position % 2 != 0) {
      odd++;
    }
    [[spar::Stage, spar::Input(position)]] { seen.push_back(position); }
  }
  std::printf("%d %d %zu\n", position, odd, seen.size());

  // Given by replicas, and read after the loop; a later stage does not name it.
  int number = -1;
  std::string name = "none";
  int sum = 0;
  [[spar::ToStream]] for (int i = 0; i < 15; i++) {
    [[spar::Stage, spar::Input(i), spar::Output(number, name), spar::Replicate(2)]] {
      number = i * i;
      name = std::to_string(i);
    }
    [[spar::Stage, spar::Input(number), spar::Output(sum)]] { sum += number; }
  }
  std::printf("%d %s %d\n", number, name.c_str(), sum);

  // Declared before the loop, given anew for each item, and read afterwards.
  int item = 0;
  double root = 0;
  [[spar::ToStream]] for (item = 0; item < 20; item++) {
    [[spar::Stage, spar::Input(item), spar::Output(root), spar::Replicate(2)]] { root = item / 2.0; }
    [[spar::Stage, spar::Input(root), spar::Output(root)]] { root += 0.25; }
  }
  std::printf("%d %.2f\n", item, root);

  // No item at all.
  int untouched = 5;
  [[spar::ToStream]] for (int i = 0; i < 0; i++) {
    [[spar::Stage, spar::Input(i), spar::Output(untouched)]] { untouched = i; }
  }
  std::printf("%d\n", untouched);
  return 0;
}
