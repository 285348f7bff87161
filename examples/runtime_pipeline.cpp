// A pipeline whose stages are chosen at run time: from a command line, a file, a user interface.
//
//     runtime_pipeline double increment square
//
// Every stage has a type of its own; `any_pipeline<In, Out>` forgets it, so that lines of any length fit
// into one variable. Items cross the joints a run at a time, so this costs little.
#include <thalweg/thalweg.hpp>

#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace tw = thalweg;

using line = tw::any_pipeline<int, int>;

line stage_named(const std::string& name) {
  static const std::map<std::string, line> known{
      {"increment", tw::map([](int x) { return x + 1; })},
      {"double", tw::map([](int x) { return 2 * x; })},
      {"square", tw::farm([](int x) { return x * x; })},
      {"odd", tw::filter([](int x) { return x % 2 != 0; })},
  };
  return known.at(name);
}

int main(int argc, char** argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  if (names.empty()) names = {"double", "increment", "square"};

  try {
    line steps = stage_named(names.front());
    for (std::size_t i = 1; i < names.size(); ++i) steps = std::move(steps) | stage_named(names[i]);

    std::vector<int> seen;
    tw::run(tw::source(std::vector{1, 2, 3}) | std::move(steps) | tw::sink(seen));

    for (const int x : seen) std::cout << x << ' ';
    std::cout << '\n';
    return argc > 1 || seen == std::vector{9, 25, 49} ? 0 : 1;
  } catch (const std::out_of_range&) {
    std::cerr << "there are the stages increment, double, square and odd\n";
    return 1;
  }
}
