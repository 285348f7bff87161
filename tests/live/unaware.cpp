// A program that links thalweg::live and names nothing of it. It runs jobs one after the other, as its
// arguments say: `run`, `nest` (an operator runs another job), and `wait` until a line comes on the standard
// input.
#include <thalweg/thalweg.hpp>

#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace tw = thalweg;

namespace {

auto job(std::string name) {
  return tw::source(std::vector{1, 2, 3}, {.name = std::move(name)}) | tw::sink([](int) {});
}

void execute(std::string_view what) {
  std::string line;
  if (what == "run") {
    const auto r = tw::run(job("run"));
    for (const auto& note : r.notes()) std::cout << "note: " << note << '\n';
    std::cout << r.items() << " items\n";
  } else if (what == "nest") {
    auto outer = tw::source(std::vector{1}, {.name = "outer"}) |
                 tw::sink([](int) { std::cout << tw::run(job("inner")).items() << " items inside\n"; });
    std::cout << tw::run(outer).items() << " items\n";
  } else if (what == "wait") {
    std::cout << "waiting" << std::endl;
    std::getline(std::cin, line);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    for (int i = 1; i < argc; ++i) execute(argv[i]);
  } catch (const std::exception& e) {
    std::cout << e.what() << '\n';
    return 1;
  }
}
