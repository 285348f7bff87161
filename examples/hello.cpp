// The smallest stream: a source makes numbers, a map turns each into a word, a sink takes the words.
//
// A job is a value that says what shall happen. `run` lets it happen, with the default policy: as many
// cores as help, and the same results in the same order as a plain loop. It returns a report.
#include <thalweg/thalweg.hpp>

#include <iostream>
#include <ranges>
#include <string>
#include <vector>

namespace tw = thalweg;

int main() {
  std::vector<std::string> words;

  auto job = tw::source(std::views::iota(1, 6)) |
             tw::map([](int n) { return std::string(static_cast<std::size_t>(n), '*'); }) | tw::sink(words);
  const tw::report report = tw::run(job);

  for (const auto& word : words) std::cout << word << '\n';
  std::cout << report.items() << " items\n";
  return report.items() == 5 && words.back() == "*****" ? 0 : 1;
}
