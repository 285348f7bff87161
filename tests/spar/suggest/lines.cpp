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
