// Arrays travel as a whole: of one dimension and of two, of numbers and of objects.
#include <array>
#include <cstdio>
#include <cstring>
#include <string>

void of_one_dimension() {
  [[spar::ToStream]] for (int i = 0; i < 30; i++) {
    int values[4] = {i, i + 1, i + 2, i + 3};
    [[spar::Stage, spar::Input(values), spar::Output(values), spar::Replicate(2)]] {
      for (int& value : values) {
        value *= value;
      }
    }
    [[spar::Stage, spar::Input(values)]] {
      std::printf("%d %d %d %d (%zu bytes)\n", values[0], values[1], values[2], values[3], sizeof values);
    }
  }
}

void of_two_dimensions() {
  constexpr int size = 3;
  [[spar::ToStream]] for (int i = 0; i < 10; i++) {
    double matrix[size][size];
    for (int row = 0; row < size; row++) {
      for (int column = 0; column < size; column++) {
        matrix[row][column] = i + row * 0.5 - column;
      }
    }
    double transposed[size][size];
    [[spar::Stage, spar::Input(matrix), spar::Output(transposed),
      spar::Replicate(2)]] for (int row = 0; row < size; row++) {
      for (int column = 0; column < size; column++) {
        transposed[column][row] = matrix[row][column];
      }
    }
    [[spar::Stage, spar::Input(transposed)]] {
      std::printf("%.1f %.1f %.1f\n", transposed[0][1], transposed[2][0], transposed[1][1]);
    }
  }
}

void of_objects() {
  [[spar::ToStream]] for (int i = 0; i < 10; i++) {
    std::string parts[2] = {"left", "right"};
    char name[16];
    std::snprintf(name, sizeof name, "item %d", i);
    std::array<short, 2> numbers{};
    [[spar::Stage, spar::Input(parts, name), spar::Output(parts, numbers), spar::Replicate(2)]] {
      parts[0] += name;
      parts[1] = name + parts[1];
      numbers = {static_cast<short>(std::strlen(name)), static_cast<short>(sizeof name)};
    }
    [[spar::Stage, spar::Input(parts, numbers)]] {
      std::printf("%s %s %d %d\n", parts[0].c_str(), parts[1].c_str(), numbers[0], numbers[1]);
    }
  }
}

int main() {
  of_one_dimension();
  of_two_dimensions();
  of_objects();
  return 0;
}
