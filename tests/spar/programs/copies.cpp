// Items are moved, and copied only where the program still needs them: a type that counts tells.
#include <atomic>
#include <cstdio>
#include <utility>
#include <vector>

std::atomic<int> copies = 0;
std::atomic<int> moves = 0;

struct counted {
  explicit counted(int value = 0) : value(value) {}
  counted(const counted& other) : value(other.value) { copies++; }
  counted(counted&& other) noexcept : value(std::exchange(other.value, -1)) { moves++; }
  counted& operator=(const counted& other) {
    value = other.value;
    copies++;
    return *this;
  }
  counted& operator=(counted&& other) noexcept {
    value = std::exchange(other.value, -1);
    moves++;
    return *this;
  }
  ~counted() = default;
  int value;
};

constexpr int items = 100;
constexpr int moves_of_a_stage = 10;

// The loop neither copies nor moves. The stream copies what both the source and a stage need.
const char* copied() {
  const int expected = moves.exchange(0) > 0 ? items : 0;
  return copies.exchange(0) == expected ? "once for each item" : "too often, or too rarely";
}

// From stage to stage items only move: into the item, into a queue, out of it, into the next item.
const char* moved_through(int stages) {
  const int most = items * stages * moves_of_a_stage;
  return moves.exchange(0) <= most ? "few" : "many";
}

// Nothing reads it behind its last stage: never copied.
void moved() {
  int sum = 0;
  [[spar::ToStream]] for (int i = 0; i < items; i++) {
    counted item(i);
    counted other(1);
    [[spar::Stage, spar::Input(item), spar::Output(item), spar::Replicate(2)]] { item.value += 1; }
    [[spar::Stage, spar::Input(item, other), spar::Output(item)]] { item.value += other.value; }
    [[spar::Stage, spar::Input(item), spar::Output(sum)]] { sum += item.value; }
  }
  std::printf("moved: %d, %d copies, %s moves\n", sum, copies.exchange(0), moved_through(3));
}

// Shared: neither Input nor Output, so it does not travel.
void shared() {
  const std::vector<counted> table(4, counted(3));
  copies = 0;
  int sum = 0;
  [[spar::ToStream]] for (int i = 0; i < items; i++) {
    int value = 0;
    [[spar::Stage, spar::Input(i, table[0]), spar::Output(value), spar::Replicate(2)]] {
      value = table[i % 4].value * i;
    }
    [[spar::Stage, spar::Input(value), spar::Output(sum)]] { sum += value; }
  }
  std::printf("shared: %d, %d copies\n", sum, copies.exchange(0));
}

// A reference travels as an address.
void referred() {
  std::vector<counted> all(items);
  copies = 0;
  [[spar::ToStream]] for (counted& item : all) {
    [[spar::Stage, spar::Input(item), spar::Output(item), spar::Replicate(2)]] { item.value = 7; }
    [[spar::Stage, spar::Input(item), spar::Output(item)]] { item.value++; }
  }
  std::printf("referred: %d, %d copies\n", all.back().value, copies.exchange(0));
}

// Moved into a stage that gives it up, and moved on by the program itself.
void given_up() {
  std::vector<counted> kept;
  kept.reserve(items);
  [[spar::ToStream]] for (int i = 0; i < items; i++) {
    counted item(i);
    [[spar::Stage, spar::Input(item), spar::Output(item), spar::Replicate(2)]] {
      if (item.value % 2 == 0) continue;
      item.value *= 2;
    }
    [[spar::Stage, spar::Input(item)]] { kept.push_back(std::move(item)); }
  }
  std::printf("given up: %zu, %d copies\n", kept.size(), copies.exchange(0));
}

// The source changes it for the next item.
void of_the_source() {
  counted item;
  int sum = 0;
  moves = 0;
  [[spar::ToStream]] for (int i = 0; i < items; i++) {
    item.value += i;
    [[spar::Stage, spar::Input(item), spar::Replicate(2)]] {
      if (item.value < 0) std::puts("never here");
    }
    [[spar::Stage, spar::Input(item), spar::Output(sum)]] { sum += item.value; }
  }
  std::printf("of the source: %d, copied %s\n", sum + item.value, copied());
}

// The source reads it once more behind the last stage.
void read_behind() {
  int sum = 0;
  int total = 0;
  [[spar::ToStream]] for (int i = 0; i < items; i++) {
    counted item(i);
    [[spar::Stage, spar::Input(item), spar::Replicate(2)]] {
      if (item.value < 0) std::puts("never here");
    }
    [[spar::Stage, spar::Input(item), spar::Output(sum)]] { sum += item.value; }
    total += item.value;
  }
  std::printf("read behind: %d %d, copied %s\n", sum, total, copied());
}

// The state of a stage, of which the next one needs what it was.
void state() {
  counted best;
  int sum = 0;
  [[spar::ToStream]] for (int i = 0; i < items; i++) {
    [[spar::Stage, spar::Input(i, best), spar::Output(best)]] { best.value = best.value * i % 101 + 1; }
    [[spar::Stage, spar::Input(best), spar::Output(sum)]] { sum += best.value; }
  }
  std::printf("state: %d %d, copied %s\n", sum, best.value, copied());
}

int main() {
  moved();
  shared();
  referred();
  given_up();
  of_the_source();
  read_behind();
  state();
  return 0;
}
