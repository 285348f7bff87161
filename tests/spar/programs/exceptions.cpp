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
    std::printf("%s: %d, behind %d\n", error.what(), error.number, seen);
  }
}

// What the items before it print comes out, and nothing of those behind it.
void of_a_stage_between() {
  try {
    [[spar::ToStream]] for (int i = 0;; i++) {
      std::string text;
      [[spar::Stage, spar::Input(i), spar::Output(text), spar::Replicate()]] { text = std::to_string(i); }
      [[spar::Stage, spar::Input(text), spar::Output(text)]] {
        if (text == "33") {
          throw text;
        }
        text += '.';
      }
      [[spar::Stage, spar::Input(text), spar::Output(text), spar::Replicate(2)]] { text += '!'; }
      [[spar::Stage, spar::Input(text)]] { std::puts(text.c_str()); }
    }
  } catch (const std::string& text) {
    std::printf("caught %s\n", text.c_str());
  }
}

// Of several, the one that the loop would have thrown: that of the first item.
void of_several_stages() {
  try {
    [[spar::ToStream]] for (int i = 0;; i++) {
      if (i == 22) {
        throw wrong("the source", i);
      }
      [[spar::Stage, spar::Input(i), spar::Replicate(3)]] {
        if (i > 20) {
          throw wrong("the first stage", i);
        }
      }
      [[spar::Stage, spar::Input(i)]] {
        if (i == 20) {
          throw wrong("the second stage", i);
        }
        std::printf("several %d\n", i);
      }
    }
  } catch (const wrong& error) {
    std::printf("%s: %d\n", error.what(), error.number);
  }
}

void with_clauses() {
  int before = 0;
  try {
    [[spar::ToStream]] for (int i = 0; i < 200; i++) {
      [[spar::Stage, spar::Input(i), spar::Replicate(2), thalweg::Unordered]] {
        if (i == 90) {
          throw i;
        }
      }
      [[spar::Stage, spar::Input(i), spar::Output(before)]] {
        if (i < 90) {
          before++;
        }
      }
    }
  } catch (int number) {
    std::printf("caught %d behind %d\n", number, before);
  }
  try {
    [[spar::ToStream]] for (int i = 0; i < 200; i++) {
      int key = i % 5;
      [[spar::Stage, spar::Input(i, key), spar::Replicate(2), thalweg::KeyBy(key)]] {
        if (i % 3 == 0) {
          continue;
        }
        if (i == 70) {
          throw i;
        }
      }
      [[spar::Stage, spar::Input(i, key), thalweg::Batch(7)]] {
        if (i == 61) {
          throw std::to_string(key);
        }
        std::printf("batch %d\n", i);
      }
    }
  } catch (const std::string& text) {
    std::printf("caught %s\n", text.c_str());
  }
}

// Variables hold what the items before it have given them.
void and_variables() {
  int last = -1;
  try {
    [[spar::ToStream]] for (int i = 0; i < 100; i++) {
      [[spar::Stage, spar::Input(i), spar::Output(last), spar::Replicate(2)]] {
        if (i == 40) {
          throw i;
        }
        last = i * i;
      }
    }
  } catch (int number) {
    std::printf("caught %d behind %d\n", number, last);
  }
}

void inner(int outer) {
  [[spar::ToStream]] for (int i = 0; i < 10; i++) {
    [[spar::Stage, spar::Input(i)]] {
      if (outer == 3 && i == 4) {
        throw wrong("the inner stream", i);
      }
      std::printf("inner %d %d\n", outer, i);
    }
  }
}

void of_a_stream_in_a_stage() {
  try {
    [[spar::ToStream]] for (int i = 0;; i++) {
      [[spar::Stage, spar::Input(i)]] { inner(i); }
    }
  } catch (const wrong& error) {
    std::printf("%s: %d\n", error.what(), error.number);
  }
}

void in_a_handler() {
  try {
    throw 12;
  } catch (int first) {
    try {
      [[spar::ToStream]] for (int i = first;; i++) {
        [[spar::Stage, spar::Input(i)]] {
          if (i == 20) {
            throw wrong("in a handler", i);
          }
          std::printf("handler %d\n", i);
        }
      }
    } catch (const wrong& error) {
      std::printf("%s: %d\n", error.what(), error.number);
    }
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
      [[spar::Stage, spar::Input(value)]] { std::printf("behind the source %d\n", value); }
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
  of_a_stage_between();
  of_several_stages();
  with_clauses();
  and_variables();
  of_a_stream_in_a_stage();
  in_a_handler();
  of_the_source();
  of_the_last_stage();
  return 0;
}
