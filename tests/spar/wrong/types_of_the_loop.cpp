// Types that cannot be named in front of the loop, where those of items are.
#include "items.hpp"

void run(int length) {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    struct pair {
      int first, second;
    };
    pair both{i, i};
    const auto twice = [](int number) { return number * 2; };
    int numbers[length];
    numbers[0] = i;
    [[spar::Stage, spar::Input(both, twice, numbers)]] write(
        read(twice(both.first) + both.second + numbers[0]));
  }
}

// expect: 9:10: error: the type of 'both' has no name outside the stream: no item can hold it
// expect: 9:10: note: declare it, with a name, before the stream
// expect: 10:16: error: the type of 'twice' is that of a lambda: no item can hold it
// expect: 10:16: note: declare the lambda in the stage, or make it a std::function
// expect: 11:9: error: 'numbers' has a length that the program computes: no item can hold it
// expect: 11:9: note: make it a std::vector
