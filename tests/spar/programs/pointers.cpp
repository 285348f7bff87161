// Pointers and references travel as addresses; an element `v[i]` as Input means its index, and `v` is shared.
#include <cstdio>
#include <string>
#include <vector>

struct node {
  int value;
  node* next;
};

void list() {
  node third{3, nullptr};
  node second{2, &third};
  node first{1, &second};
  node* at = &first;
  [[spar::ToStream]] while (at != nullptr) {
    node* here = at;
    at = at->next;
    [[spar::Stage, spar::Input(here), spar::Output(here), spar::Replicate(2)]] { here->value *= 10; }
    [[spar::Stage, spar::Input(here)]] { std::printf("list %d\n", here->value); }
  }
  std::printf("%d %d %d\n", first.value, second.value, third.value);
}

void buffers() {
  [[spar::ToStream]] for (int i = 0; i < 20; i++) {
    auto* buffer = new char[32];
    std::snprintf(buffer, 32, "buffer %d", i);
    [[spar::Stage, spar::Input(buffer), spar::Output(buffer), spar::Replicate(3)]] { buffer[0] = 'B'; }
    [[spar::Stage, spar::Input(buffer)]] {
      std::puts(buffer);
      delete[] buffer;
    }
  }
}

void references() {
  std::vector<std::string> names{"x", "yy", "zzz", "yy", "x"};
  [[spar::ToStream]] for (std::string& name : names) {
    [[spar::Stage, spar::Input(name), spar::Output(name), spar::Replicate(2)]] { name += '+'; }
    [[spar::Stage, spar::Input(name), spar::Output(name)]] { name += '-'; }
  }
  for (const std::string& name : names) {
    std::puts(name.c_str());
  }
}

void elements() {
  const int count = 50;
  std::vector<int> from(count);
  std::vector<long> to(count);
  int table[count];
  for (int i = 0; i < count; i++) {
    from[static_cast<std::size_t>(i)] = i * 3;
    table[i] = i % 4;
  }
  [[spar::ToStream, spar::Input(from, to, table)]] for (int i = 0; i < count; i++) {
    const auto at = static_cast<std::size_t>(i);
    [[spar::Stage, spar::Input(from[at], table[i]), spar::Output(to[at]), spar::Replicate(2)]] {
      to[at] = 1L * from[at] * table[i];
    }
    [[spar::Stage, spar::Input(to[at], i)]] {
      std::printf("%d: %ld\n", i, to[at]);
    }
  }
}

void rows() {
  constexpr int size = 8;
  int matrix[size][size] = {};
  [[spar::ToStream]] for (int row = 0; row < size; row++) {
    [[spar::Stage, spar::Input(row), spar::Output(matrix[row]), spar::Replicate(2)]] {
      for (int column = 0; column < size; column++) {
        matrix[row][column] = row * column;
      }
    }
    [[spar::Stage, spar::Input(row, matrix[row])]] {
      std::printf("%d ", matrix[row][size - 1]);
    }
  }
  std::puts("");
}

int main() {
  list();
  buffers();
  references();
  elements();
  rows();
  return 0;
}
