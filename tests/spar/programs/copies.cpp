// Items are moved, and copied only where the program still needs them: a type that counts tells.
#include <atomic>
#include <cstdio>
#include <utility>
#include <vector>

std::atomic<int> copies = 0;

struct counted {
  explicit counted(int value = 0) : value(value) {}
  counted(const counted& other) : value(other.value) { copies++; }
  counted(counted&& other) noexcept : value(std::exchange(other.value, -1)) {}
  counted& operator=(const counted& other) {
    value = other.value;
    copies++;
    return *this;
  }
  counted& operator=(counted&& other) noexcept {
    value = std::exchange(other.value, -1);
    return *this;
  }
  ~counted() = default;
  int value;
};

constexpr int items = 100;

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
  std::printf("moved: %d, %d copies\n", sum, copies.exchange(0));
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

int main() {
  moved();
  shared();
  referred();
  given_up();
  return 0;
}
