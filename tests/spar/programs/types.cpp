// Types of items: large ones, constant ones, deduced ones, structured bindings, enumerations, local and
// nested types.
#include <array>
#include <complex>
#include <cstdio>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace geometry {
struct point {
  double x = 0, y = 0;
  struct label {
    std::string text;
  };
};
enum class side { left, right };
using line = std::vector<point>;
}  // namespace geometry

void large() {
  using block = std::array<double, 4096>;
  [[spar::ToStream]] for (int i = 0; i < 30; i++) {
    block data{};
    data[static_cast<std::size_t>(i)] = i;
    double sum = 0;
    [[spar::Stage, spar::Input(data), spar::Output(data, sum), spar::Replicate(2)]] {
      data.back() = 0.5;
      for (const double value : data) {
        sum += value;
      }
    }
    [[spar::Stage, spar::Input(data, sum)]] { std::printf("%.1f %.1f\n", sum, data.back()); }
  }
}

void constant_and_deduced() {
  const std::vector<int> factors{2, 3, 5};
  [[spar::ToStream]] for (int i = 0; i < 20; i++) {
    const int fixed = i * 2;
    const std::string name = "item " + std::to_string(i);
    auto factor = factors[static_cast<std::size_t>(i) % factors.size()];
    const auto& shared = factors;
    decltype(fixed + 0L) product = 0;
    [[spar::Stage, spar::Input(fixed, name, factor), spar::Output(product), spar::Replicate(2)]] {
      product = fixed * factor + static_cast<long>(name.size());
    }
    [[spar::Stage, spar::Input(name, product, shared)]] {
      std::printf("%s: %ld of %zu\n", name.c_str(), product, shared.size());
    }
  }
}

std::pair<int, std::string> split(int number) {
  return {number / 10, std::to_string(number % 10)};
}

void bindings() {
  const std::map<std::string, geometry::point> places{{"a", {1, 2}}, {"b", {3, 4}}, {"c", {5, 6}}};
  [[spar::ToStream]] for (const auto& [name, place] : places) {
    double sum = 0;
    [[spar::Stage, spar::Input(place), spar::Output(sum), spar::Replicate(2)]] { sum = place.x + place.y; }
    [[spar::Stage, spar::Input(name, sum)]] { std::printf("%s %.0f\n", name.c_str(), sum); }
  }
  [[spar::ToStream]] for (int i = 95; i < 105; i++) {
    auto [tens, rest] = split(i);
    [[spar::Stage, spar::Input(tens, rest), spar::Output(rest), spar::Replicate(2)]] {
      rest += std::to_string(tens);
    }
    [[spar::Stage, spar::Input(tens, rest)]] { std::printf("%d %s\n", tens, rest.c_str()); }
  }
}

void of_a_program() {
  enum colour { red, green, blue };
  struct car {
    colour painted;
    int number;
  };
  using geometry::side;
  [[spar::ToStream]] for (int i = 0; i < 15; i++) {
    car mine{static_cast<colour>(i % 3), i};
    side turns = side::left;
    geometry::point::label label;
    [[spar::Stage, spar::Input(mine), spar::Output(turns, label), spar::Replicate(2)]] {
      turns = mine.painted == green ? side::right : side::left;
      label.text = mine.painted == blue ? "blue" : "other";
    }
    [[spar::Stage, spar::Input(mine, turns, label)]] {
      std::printf("%d %s %s\n", mine.number, turns == side::right ? "right" : "left", label.text.c_str());
    }
  }
}

void of_the_library() {
  [[spar::ToStream]] for (int i = 0; i < 15; i++) {
    std::variant<int, std::string> either = i;
    std::optional<std::tuple<char, bool>> maybe;
    std::complex<double> number(i, 1);
    std::deque<geometry::line> lines;
    signed char tiny = -1;
    unsigned long long huge = 1ULL << 40;
    bool even = false;
    [[spar::Stage, spar::Input(i, either, number, huge),
      spar::Output(either, maybe, number, lines, tiny, huge, even), spar::Replicate(2)]] {
      even = i % 2 == 0;
      if (even) {
        either = std::string("even");
        maybe = std::tuple('e', true);
      }
      number *= std::complex<double>(0, 1);
      lines.push_back({{1, 2}, {3, 4}});
      tiny = static_cast<signed char>(i);
      huge += static_cast<unsigned>(i);
    }
    [[spar::Stage, spar::Input(either, maybe, number, lines, tiny, huge, even)]] {
      const std::string text = even ? std::get<std::string>(either) : std::to_string(std::get<int>(either));
      std::printf("%s %c (%.0f,%.0f) %zu %d %llu\n", text.c_str(), maybe ? std::get<0>(*maybe) : '-',
                  number.real(), number.imag(), lines.front().size(), tiny, huge);
    }
  }
}

int main() {
  large();
  constant_and_deduced();
  bindings();
  of_a_program();
  of_the_library();
  return 0;
}
