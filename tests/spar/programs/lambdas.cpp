// Streams in lambdas: with captures, generic, and lambdas within stages.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

int main() {
  std::vector<int> results;
  const int offset = 7;
  const auto doubled = [&results, offset](int count) {
    [[spar::ToStream]] for (int i = 0; i < count; i++) {
      int value = i;
      [[spar::Stage, spar::Input(value), spar::Output(value), spar::Replicate(2)]] {
        value = 2 * value + offset;
      }
      [[spar::Stage, spar::Input(value)]] { results.push_back(value); }
    }
  };
  doubled(10);
  doubled(3);

  int sum = 0;
  const auto add_all = [&](const auto& values, auto transform) {
    [[spar::ToStream]] for (const auto& value : values) {
      auto changed = transform(value);
      [[spar::Stage, spar::Input(changed), spar::Output(changed), spar::Replicate(2)]] { changed += 1; }
      [[spar::Stage, spar::Input(changed)]] { sum += static_cast<int>(changed); }
    }
  };
  add_all(results, [](int value) { return value * 3; });
  add_all(std::vector<std::string>{"a", "bcd"}, [](const std::string& text) { return text.size(); });
  std::printf("%d\n", sum);

  auto counter = [calls = 0](int steps) mutable {
    [[spar::ToStream]] for (int i = 0; i < steps; i++) {
      [[spar::Stage, spar::Input(i)]] { calls += i; }
    }
    return calls;
  };
  std::printf("%d ", counter(5));
  std::printf("%d\n", counter(6));

  std::function<void(int)> print = [](int i) { std::printf("%d\n", i); };
  [[spar::ToStream]] for (int i = 0; i < 12; i++) {
    std::vector<int> digits{i % 5, i % 3, i % 7};
    [[spar::Stage, spar::Input(digits), spar::Output(digits), spar::Replicate(2)]] {
      std::sort(digits.begin(), digits.end(), [](int a, int b) { return a > b; });
    }
    [[spar::Stage, spar::Input(digits)]] {
      const auto value = [&] { return digits[0] * 100 + digits[1] * 10 + digits[2]; };
      print(value());
    }
  }
  return 0;
}
