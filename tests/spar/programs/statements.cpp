// A stage is any statement: a block, a loop, a call, a condition.
#include <cstdio>
#include <string>
#include <vector>

void append(std::string& text, char what) {
  text += what;
}

int main() {
  std::vector<std::string> written;
  [[spar::ToStream]] for (int i = 0; i < 25; i++) {
    std::string text = std::to_string(i);
    [[spar::Stage, spar::Input(text), spar::Output(text), spar::Replicate(2)]] append(text, '.');
    [[spar::Stage, spar::Input(i, text), spar::Output(text), spar::Replicate(2)]] for (int times = 0;
                                                                                       times < i % 4; times++)
      append(text, ',');
    [[spar::Stage, spar::Input(i, text), spar::Output(text)]] if (i % 2 == 0) {
      text += " even";
    } else {
      text += " odd";
    }
    [[spar::Stage, spar::Input(i, text), spar::Output(text), spar::Replicate(2)]] switch (i % 3) {
      case 0:
        text += " fizz";
        break;
      case 1:
        text += " one";
        [[fallthrough]];
      default:
        text += " more";
    }
    [[spar::Stage, spar::Input(text), spar::Output(text)]] while (text.size() < 16) {
      text += '-';
    }
    [[spar::Stage, spar::Input(text)]] written.push_back(std::move(text));
  }
  for (const std::string& text : written) {
    std::puts(text.c_str());
  }
  return 0;
}
