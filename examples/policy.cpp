// The policy as text: the same job on one core, on a pool of workers, or with a thread per stage.
//
//     policy sequential        policy pool:4        policy threads
//
// A policy decides who executes what, never what comes out. Without an argument this program runs with all
// of them and compares the results.
#include <thalweg/thalweg.hpp>

#include <cstdint>
#include <exception>
#include <iostream>
#include <ranges>
#include <string>
#include <vector>

namespace tw = thalweg;

int main(int argc, char** argv) {
  std::vector<std::string> policies(argv + 1, argv + argc);
  if (policies.empty()) policies = {"sequential", "pool", "pool:4", "threads", "threads:3"};

  std::vector<std::uint64_t> results;
  for (const auto& text : policies) {
    try {
      const tw::any_policy policy = tw::policy_from(text);
      std::uint64_t hash = 0;
      auto job = tw::source(std::views::iota(0, 20'000)) |
                 tw::farm([](int x) { return static_cast<std::uint64_t>(x) * 2'654'435'761U; }) |
                 tw::filter([](std::uint64_t x) { return x % 7 != 0; }) |
                 tw::sink([&](std::uint64_t x) { hash = 31 * hash + x; });
      const tw::report report = tw::run(job, policy);
      std::cout << policy.name() << ": " << hash << ", " << report.workers() << " threads\n";
      results.push_back(hash);
    } catch (const tw::error& problem) {
      std::cerr << problem.what() << '\n';
      return 1;
    }
  }
  return results == std::vector(policies.size(), results.front()) ? 0 : 1;
}
