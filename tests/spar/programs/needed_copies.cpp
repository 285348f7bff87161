// What is declared before the stream, or is read by the source again, stays as it is there: items get a copy.
#include <cstdio>
#include <list>
#include <string>
#include <vector>

int main() {
  std::string text = "a";
  std::vector<std::size_t> sizes;
  [[spar::ToStream]] for (int i = 0; i < 12; i++) {
    text += static_cast<char>('b' + i);
    std::size_t size = 0;
    [[spar::Stage, spar::Input(text), spar::Output(size), spar::Replicate(2)]] { size = text.size() * 10; }
    [[spar::Stage, spar::Input(text, size)]] {
      sizes.push_back(size);
      std::puts(text.c_str());
    }
  }
  std::printf("%s %zu\n", text.c_str(), sizes.back());

  std::vector<int> history;
  [[spar::ToStream]] while (history.size() < 10) {
    history.push_back(static_cast<int>(history.size() * history.size()));
    int sum = 0;
    [[spar::Stage, spar::Input(history), spar::Output(sum), spar::Replicate(2)]] {
      for (const int value : history) {
        sum += value;
      }
    }
    [[spar::Stage, spar::Input(sum)]] { std::printf("%d\n", sum); }
  }
  std::printf("%zu\n", history.size());

  // Only Outputs, but what the source has put there is read by a function.
  std::list<int> outer;
  [[spar::ToStream]] for (int i = 0; i < 12; i++) {
    std::list<int> inner;
    inner = {i, 5, i};
    outer = {i, 7, 7};
    [[spar::Stage, spar::Input(i), spar::Output(inner, outer), spar::Replicate(2)]] {
      std::erase(inner, 5);
      std::erase(outer, i);
    }
    [[spar::Stage, spar::Input(inner, outer)]] {
      std::printf("%d of %zu, %zu\n", inner.front(), inner.size(), outer.size());
    }
  }
  return 0;
}
