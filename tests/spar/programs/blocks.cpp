// ToStream on a block; stages deep within loops, conditions and blocks of the source.
#include <cstdio>
#include <string>

void block_with_a_loop() {
  [[spar::ToStream]] {
    const std::string prefix = "item ";
    int sent = 0;
    while (sent < 30) {
      std::string text = prefix + std::to_string(sent);
      sent++;
      [[spar::Stage, spar::Input(text), spar::Output(text), spar::Replicate(2)]] { text += '!'; }
      [[spar::Stage, spar::Input(text)]] { std::puts(text.c_str()); }
    }
  }
}

void block_of_one_item() {
  [[spar::ToStream]] {
    int number = 41;
    [[spar::Stage, spar::Input(number), spar::Output(number)]] { number++; }
    [[spar::Stage, spar::Input(number)]] { std::printf("one item: %d\n", number); }
  }
}

void loop_in_a_loop() {
  [[spar::ToStream]] for (int row = 0; row < 6; row++) {
    const int offset = row * 100;
    for (int column = 0; column < row; column++) {
      if (column == 3) {
        continue;
      }
      int value = offset + column;
      [[spar::Stage, spar::Input(value), spar::Output(value), spar::Replicate(3)]] { value *= 2; }
      [[spar::Stage, spar::Input(row, column, value)]] { std::printf("%d %d: %d\n", row, column, value); }
    }
  }
}

void under_conditions() {
  [[spar::ToStream]] for (int i = 0; i < 40; i++) {
    if (i % 3 == 0) {
      {
        long cube = 0;
        [[spar::Stage, spar::Input(i), spar::Output(cube), spar::Replicate(2)]] { cube = 1L * i * i * i; }
        [[spar::Stage, spar::Input(i, cube)]] { std::printf("%d cubed is %ld\n", i, cube); }
      }
    }
  }
}

int main() {
  block_with_a_loop();
  block_of_one_item();
  loop_in_a_loop();
  under_conditions();
  return 0;
}
