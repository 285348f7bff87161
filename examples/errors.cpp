// What happens when an operator throws is the stage's own choice.
//
// By default the run stops and the exception comes out of `run`, with the stage's name. `.on_error` changes
// that: `skip` drops the item, `retry` tries it again after a delay that doubles, and `dead_letter` hands
// the item and its exception to a function. They combine. Every one is counted in the report.
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tw = thalweg;
using namespace std::chrono_literals;

int main() {
  const std::vector<std::string> lines{"1", "2", "three", "4"};
  const auto parse = [](const std::string& line) { return std::stoi(line); };
  int sum = 0;
  const auto add = tw::sink([&](int x) { sum += x; });

  // 1. Stop: the default.
  std::string failed_stage;
  try {
    tw::run(tw::source(lines) | tw::map(parse, {.name = "parse"}) | add);
  } catch (const tw::stage_error& problem) {
    std::cout << problem.what() << '\n';
    failed_stage = problem.stage();
  }

  // 2. Skip.
  sum = 0;
  const auto skipping =
      tw::run(tw::source(lines) | tw::map(parse, {.on_error = tw::skip, .name = "parse"}) | add);
  std::cout << "sum " << sum << ", skipped " << skipping.stage("parse").skipped() << '\n';
  const bool skipped = sum == 7 && skipping.stage("parse").skipped() == 1;

  // 3. Retry, and then the dead letters. The first attempt at each line fails here.
  sum = 0;
  std::vector<std::string> refused;
  const auto flaky = [&parse, attempt = 0](const std::string& line) mutable {
    if (attempt++ % 2 == 0) throw std::runtime_error("no connection");
    return parse(line);
  };
  const auto careful = tw::retry(3, 1ms).then(
      tw::dead_letter([&](const std::string& line, std::exception_ptr) { refused.push_back(line); }));
  const auto trying =
      tw::run(tw::source(lines) | tw::map(flaky, {.on_error = careful, .name = "parse"}) | add);
  const auto& parsing = trying.stage("parse");
  std::cout << "sum " << sum << ", " << parsing.errors() << " errors, " << parsing.retries()
            << " retries, refused " << refused.size() << '\n';

  return failed_stage == "parse" && skipped && sum == 7 && refused == std::vector<std::string>{"three"} ? 0
                                                                                                        : 1;
}
