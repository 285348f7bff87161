// Streams in templates: of functions, of classes, with types that depend on parameters.
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

template <class T> T sum_of_squares(const std::vector<T>& values, int workers) {
  T sum{};
  [[spar::ToStream]] for (const T& value : values) {
    T square{};
    [[spar::Stage, spar::Input(value), spar::Output(square), spar::Replicate(workers)]] {
      square = value * value;
    }
    [[spar::Stage, spar::Input(square), spar::Output(sum)]] { sum += square; }
  }
  return sum;
}

template <class Container, int Times> struct repeater {
  using text = typename Container::value_type;
  Container in;

  template <class Write> void run(Write write) {
    [[spar::ToStream]] for (std::size_t i = 0; i < in.size(); i++) {
      text repeated{};
      [[spar::Stage, spar::Input(i), spar::Output(repeated), spar::Replicate(Times)]] {
        for (int time = 0; time < Times; time++) {
          repeated += in[i];
        }
      }
      [[spar::Stage, spar::Input(repeated)]] { write(repeated); }
    }
  }
};

template <class... Terms> auto sums(int count, Terms... terms) {
  std::vector<std::common_type_t<Terms...>> all;
  [[spar::ToStream]] for (int i = 0; i < count; i++) {
    auto term = (terms + ... + i);
    [[spar::Stage, spar::Input(term), spar::Output(term), spar::Replicate(2)]] { term *= 2; }
    [[spar::Stage, spar::Input(term)]] { all.push_back(term); }
  }
  return all;
}

int main() {
  std::printf("%d\n", sum_of_squares<int>({1, 2, 3, 4, 5}, 2));
  std::printf("%.2f\n", sum_of_squares<double>({0.5, 1.5, 2.5}, 3));
  repeater<std::vector<std::string>, 3>{{"ab", "c", ""}}.run(
      [](const std::string& text) { std::printf("<%s>\n", text.c_str()); });
  for (const double sum : sums(5, 1, 0.25)) {
    std::printf("%.2f\n", sum);
  }
  return 0;
}
