// Patterns nest: a pipeline of farms, and a farm of pipelines.
//
// In the pipeline of farms each step has replicas of its own; in the farm of pipelines a replica is the
// whole line, and takes an item through all its steps in one go, without handing it over in between. Both
// give the same results in the same order. Prefer the second unless a step needs a number of its own.
#include <thalweg/thalweg.hpp>

#include <cctype>
#include <iostream>
#include <string>
#include <vector>

namespace tw = thalweg;

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  line.erase(0, line.find_first_not_of(' '));
  return line;
}

bool not_empty(const std::string& line) {
  return !line.empty();
}

std::string capitalised(std::string line) {
  line[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(line[0])));
  return line;
}

int main() {
  const std::vector<std::string> lines{"  one", "two  ", "   ", " three "};
  std::vector<std::string> a;
  std::vector<std::string> b;

  auto pipeline_of_farms = tw::farm(trimmed, {.replicas = 2, .name = "trim"}) | tw::filter(not_empty) |
                           tw::farm(capitalised, {.name = "capitalise"});
  tw::run(tw::source(lines) | pipeline_of_farms | tw::sink(a));

  auto farm_of_pipelines =
      tw::farm(tw::map(trimmed) | tw::filter(not_empty) | tw::map(capitalised), {.name = "clean"});
  tw::run(tw::source(lines) | farm_of_pipelines | tw::sink(b));

  for (const auto& line : b) std::cout << line << '\n';
  return a == b && b == std::vector<std::string>{"One", "Two", "Three"} ? 0 : 1;
}
