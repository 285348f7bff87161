// Items that cannot be copied: they are moved from stage to stage.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

struct ticket {
  explicit ticket(int number) : number(number) {}
  ticket(ticket&&) = default;
  ticket& operator=(ticket&&) = default;
  ticket(const ticket&) = delete;
  ticket& operator=(const ticket&) = delete;
  int number;
};

int main() {
  [[spar::ToStream]] for (int i = 0; i < 50; i++) {
    auto pointer = std::make_unique<int>(i);
    [[spar::Stage, spar::Input(pointer), spar::Output(pointer), spar::Replicate(2)]] { *pointer *= 3; }
    [[spar::Stage, spar::Input(pointer)]] { std::printf("%d\n", *pointer); }
  }

  std::vector<std::unique_ptr<int>> kept;
  [[spar::ToStream]] for (int i = 0; i < 20; i++) {
    std::unique_ptr<int> made;
    std::vector<std::unique_ptr<int>> several;
    [[spar::Stage, spar::Input(i), spar::Output(made, several), spar::Replicate(3)]] {
      made = std::make_unique<int>(i * i);
      several.push_back(std::make_unique<int>(-i));
    }
    [[spar::Stage, spar::Input(made, several)]] {
      kept.push_back(std::move(made));
      kept.push_back(std::move(several[0]));
    }
  }
  for (const auto& value : kept) {
    std::printf("%d ", *value);
  }
  std::puts("");

  [[spar::ToStream]] for (int i = 0; i < 10; i++) {
    ticket mine(i);
    std::string passenger = "passenger " + std::to_string(i);
    [[spar::Stage, spar::Input(mine), spar::Output(mine), spar::Replicate(2)]] {
      mine = ticket(mine.number + 100);
    }
    [[spar::Stage, spar::Input(mine, passenger)]] { std::printf("%s: %d\n", passenger.c_str(), mine.number); }
  }
  return 0;
}
