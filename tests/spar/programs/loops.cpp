// Every kind of loop can be a stream.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

void over_for() {
  [[spar::ToStream]] for (int i = 0, j = 100; i < j; i++, j -= 2) {
    int product = 0;
    [[spar::Stage, spar::Input(i, j), spar::Output(product), spar::Replicate(2)]] { product = i * j; }
    [[spar::Stage, spar::Input(product)]] { std::printf("for %d\n", product); }
  }
}

void over_while() {
  int left = 50;
  [[spar::ToStream]] while (left > 0) {
    left -= 3;
    [[spar::Stage, spar::Input(left)]] { std::printf("while %d\n", left); }
  }
  std::printf("left %d\n", left);
}

void over_while_with_declaration() {
  int next = 20;
  [[spar::ToStream]] while (const int now = next--) {
    int square = 0;
    [[spar::Stage, spar::Input(now), spar::Output(square), spar::Replicate(3)]] { square = now * now; }
    [[spar::Stage, spar::Input(now, square)]] { std::printf("while %d %d\n", now, square); }
  }
}

void over_do() {
  unsigned number = 27;
  [[spar::ToStream]] do {
    number = number % 2 == 0 ? number / 2 : 3 * number + 1;
    unsigned digits = 0;
    [[spar::Stage, spar::Input(number), spar::Output(digits),
      spar::Replicate(2)]] for (unsigned rest = number; rest > 0; rest /= 10) {
      digits++;
    }
    [[spar::Stage, spar::Input(number, digits)]] { std::printf("do %u %u\n", number, digits); }
  } while (number != 1);
}

void over_range() {
  const std::vector<std::string> words{"one", "two", "three", "four", "five"};
  [[spar::ToStream]] for (const std::string& word : words) {
    std::string twice;
    [[spar::Stage, spar::Input(word), spar::Output(twice), spar::Replicate(2)]] { twice = word + word; }
    [[spar::Stage, spar::Input(twice)]] { std::printf("range %s\n", twice.c_str()); }
  }
  [[spar::ToStream]] for (int value : {5, 3, 1}) {
    [[spar::Stage, spar::Input(value), spar::Output(value), spar::Replicate(2)]] { value *= 10; }
    [[spar::Stage, spar::Input(value)]] { std::printf("range %d\n", value); }
  }
}

void over_map() {
  std::map<std::string, int> ages{{"ada", 36}, {"alan", 41}, {"grace", 85}};
  [[spar::ToStream]] for (auto& [name, age] : ages) {
    std::string text;
    [[spar::Stage, spar::Input(name, age), spar::Output(text), spar::Replicate(2)]] {
      text = name + " is " + std::to_string(age);
    }
    [[spar::Stage, spar::Input(text)]] { std::printf("%s\n", text.c_str()); }
  }
}

int main() {
  over_for();
  over_while();
  over_while_with_declaration();
  over_do();
  over_range();
  over_map();
  return 0;
}
