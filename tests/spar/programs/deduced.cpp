// Types that no declaration writes out: deduced arguments of templates, `auto` that depends on other `auto`,
// bindings in a template, types without a name.
#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

template <class T> struct wrapped {
  T value;
  auto twice() const { return value + value; }
};

template <class T> void chained(const std::vector<T>& values) {
  [[spar::ToStream]] for (const auto& value : values) {
    auto inner = wrapped<T>{value};
    auto sum = inner.value + inner.value;
    auto twice = inner.twice();
    [[spar::Stage, spar::Input(inner, sum), spar::Output(sum), spar::Replicate(2)]] { sum += inner.value; }
    [[spar::Stage, spar::Input(sum, twice)]] {
      std::printf("%s\n", (std::string("") + sum + " " + twice).c_str());
    }
  }
}

template <class Map> long pairs(const Map& map) {
  long all = 0;
  [[spar::ToStream]] for (auto [key, value] : map) {
    auto sum = key + value;
    [[spar::Stage, spar::Input(sum, key), spar::Output(sum), spar::Replicate(2)]] { sum += key; }
    [[spar::Stage, spar::Input(sum, value), spar::Output(all)]] { all = all * 10 + sum * value; }
  }
  return all;
}

void arguments() {
  [[spar::ToStream]] for (auto number : {1, 2, 3}) {
    std::pair pair{number, number * 0.5};
    std::tuple both{number, 'c'};
    std::array two{number, number + 1};
    std::vector many{number, 2};
    [[spar::Stage, spar::Input(pair, both, two, many), spar::Output(pair, two, many), spar::Replicate(2)]] {
      pair.first += std::get<0>(both);
      two[1] += 10;
      many.push_back(std::get<0>(both));
    }
    [[spar::Stage, spar::Input(pair, both, two, many)]] {
      std::printf("%d %.1f %c %d %zu\n", pair.first, pair.second, std::get<1>(both), two[1], many.size());
    }
  }
}

void without_a_name() {
  struct {
    int height;
  } box = {4};
  const auto add = [](int a, int b) { return a + b; };
  [[spar::ToStream]] for (int i = 0; i < 5; i++) {
    int result = i;
    box.height++;
    [[spar::Stage, spar::Input(result, box), spar::Output(result), spar::Replicate(2)]] {
      result = add(result, box.height);
    }
    [[spar::Stage, spar::Input(result)]] { std::printf("%d\n", result); }
  }
}

int main() {
  chained(std::vector<std::string>{"a", "b"});
  std::printf("%ld\n", pairs(std::map<int, long>{{1, 2}, {3, 4}}));
  arguments();
  without_a_name();
  return 0;
}
