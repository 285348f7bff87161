// Lines of text: what is read and written stays in order, and what is between can be replicated.
#include <iostream>
#include <string>

static int hashed(const std::string& text) {
  int value = 7;
  for (const char each : text) value = value * 31 + each;
  return value;
}

int main() {
  int total = 0;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::string upper = line + "!";
    for (char& each : upper) each = static_cast<char>(each ^ 32);
    const int length = static_cast<int>(upper.size());
    int value = hashed(upper) + length;
    total += value;
    std::cout << line << ' ' << value << '\n';
  }
  std::cout << total << '\n';
}

// expect: 14:3: remark: this loop could be a stream: its source and 2 stages
// expect: 14:3: note: the source: the head of the loop
// expect: 15:5: note: stage 1: can be replicated
// expect: 19:5: note: stage 2: serial
// expect: 19:5: note: 'total' is changed here, and read here for the next item
// expect: 20:39: note: 'operator<<' reads or writes, in the order of the items
// patch: +  [[spar::ToStream]]
// patch: -    std::string upper = line + "!";
// patch: -    for (char& each : upper) each = static_cast<char>(each ^ 32);
// patch: -    const int length = static_cast<int>(upper.size());
// patch: -    int value = hashed(upper) + length;
// patch: -    total += value;
// patch: -    std::cout << line << ' ' << value << '\n';
// patch: +    int value;
// patch: +    [[spar::Stage, spar::Input(line), spar::Output(value), spar::Replicate()]] {
// patch: +      std::string upper = line + "!";
// patch: +      for (char& each : upper) each = static_cast<char>(each ^ 32);
// patch: +      const int length = static_cast<int>(upper.size());
// patch: +      value = hashed(upper) + length;
// patch: +    }
// patch: +    [[spar::Stage, spar::Input(value, line), spar::Output(total)]] {
// patch: +      total += value;
// patch: +      std::cout << line << ' ' << value << '\n';
// patch: +    }
