// A diamond: a stream is copied into two branches, which are joined again item by item.
//
//              .--> reverse --.
//     words --tee             pair_up --> palindromes
//              '--------------'
//
// A line with `|` has one way through. For any other shape there is `tw::graph`: add stages, connect outputs
// to inputs. The branches run at the same time, and one may be far ahead of the other; `pair_up` takes from
// both only when both have something, so what belongs together meets.
#include <thalweg/thalweg.hpp>

#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace tw = thalweg;

/// Makes pairs of the items of two streams: the first of each, the second of each, and so on.
struct pair_up : tw::stage {
  using pair = std::pair<std::string, std::string>;
  tw::in<std::string> left{this, "left"}, right{this, "right"};
  tw::out<pair> out{this, "out"};

  void on_run() override {
    while (left.available() && right.available()) out.send({left.take(), right.take()});
    if (left.ended() || right.ended()) end();  // there will be no more pairs
  }
};

int main() {
  const std::vector<std::string> words{"stream", "level", "river", "rotor", "thalweg", "noon", "kayak"};
  std::vector<std::string> palindromes;

  tw::graph g;
  auto& copies = g.add<tw::tee<std::string>>();
  auto& pairs = g.add<pair_up>();
  auto reverse = g.add(tw::map([](const std::string& s) { return std::string(s.rbegin(), s.rend()); }));
  auto find = g.add(tw::filter([](const pair_up::pair& p) { return p.first == p.second; }) |
                    tw::map([](pair_up::pair p) { return p.first; }) | tw::sink(palindromes));

  g.connect(g.add(tw::source(words)).out, copies.in);
  g.connect(copies.branch(), reverse.in);
  g.connect(reverse.out, pairs.left);
  g.connect(copies.branch(), pairs.right);
  g.connect(pairs.out, find.in);
  tw::run(g);

  for (const auto& word : palindromes) std::cout << word << '\n';
  return palindromes == std::vector<std::string>{"level", "rotor", "noon", "kayak"} ? 0 : 1;
}
