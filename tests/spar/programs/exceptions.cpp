// Exceptions: caught within a stage, and such that end the stream.
#include <cstdio>
#include <stdexcept>
#include <string>

int parsed(const std::string& text) {
  return std::stoi(text);
}

void within_stages() {
  const char* const texts[] = {"12", "x", "7", "", "-3"};
  [[spar::ToStream]] for (const char* text : texts) {
    int number = 0;
    [[spar::Stage, spar::Input(text), spar::Output(number), spar::Replicate(2)]] {
      try {
        number = parsed(text);
      } catch (const std::invalid_argument&) {
        number = -1;
      }
    }
    [[spar::Stage, spar::Input(number)]] { std::printf("%d\n", number); }
  }
}

struct wrong : std::runtime_error {
  wrong(const std::string& what, int number) : std::runtime_error(what), number(number) {}
  int number;
};

void of_a_stage() {
  int seen = 0;
  try {
    [[spar::ToStream]] for (int i = 0; i < 1000; i++) {
      int value = i;
      [[spar::Stage, spar::Input(value), spar::Output(value), spar::Replicate(2)]] {
        if (value == 500) {
          throw wrong("not this one", value);
        }
        value *= 2;
      }
      [[spar::Stage, spar::Input(value), spar::Output(seen)]] { seen = value; }
    }
    std::puts("never here");
  } catch (const wrong& error) {
    std::printf("%s: %d, %s\n", error.what(), error.number, seen < 1000 ? "and none behind it" : "too late");
  }
}

void of_the_source() {
  try {
    [[spar::ToStream]] for (int i = 0;; i++) {
      if (i == 70) {
        throw wrong("the source has no more", i);
      }
      int value = i;
      [[spar::Stage, spar::Input(value), spar::Output(value), spar::Replicate(2)]] { value += 1; }
      [[spar::Stage, spar::Input(value)]] {
        if (value > 70) {
          std::puts("never here");
        }
      }
    }
  } catch (const std::exception& error) {
    std::puts(error.what());
  }
}

void of_the_last_stage() {
  try {
    [[spar::ToStream]] for (int i = 0; i < 100; i++) {
      [[spar::Stage, spar::Input(i)]] {
        if (i < 5) {
          std::printf("last %d\n", i);
        } else {
          throw 42;
        }
      }
    }
  } catch (int number) {
    std::printf("caught %d\n", number);
  }
}

int main() {
  within_stages();
  of_a_stage();
  of_the_source();
  of_the_last_stage();
  return 0;
}
