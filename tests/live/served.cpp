// A run with a page. Its farm is the slowest stage while it has one replica; with four the source is. A line
// on the standard input stops it, and another one ends the program. An argument is how many replicas the run
// decides to give the farm.
#include <thalweg/live/server.hpp>
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace tw = thalweg;
using namespace std::chrono_literals;

namespace {

/// Asks for as many replicas of the farm, once.
tw::adaptation::planner asks_for(int replicas) {
  return [replicas, asked = false](const tw::adaptation::window&) mutable {
    tw::adaptation::changes wanted;
    if (std::exchange(asked, true)) return wanted;
    wanted.replicas.push_back({"work", replicas});
    wanted.reason = "so it was told";
    return wanted;
  };
}

}  // namespace

int main(int argc, char** argv) {
  const auto read = [n = 0L]() mutable -> std::optional<long> {
    std::this_thread::sleep_for(2ms);
    return n++;
  };
  const auto work = [](const long& x) {
    std::this_thread::sleep_for(5ms);
    if (x % 50 == 3) throw std::runtime_error("a broken item");
    return x;
  };
  auto job = tw::source(read, {.name = "read"}) |
             tw::farm(work, {.replicas = 1, .on_error = tw::skip, .name = "work"}) |
             tw::sink([](long) {}, {.name = "write"});
  std::optional<tw::adapt> adapt;
  if (argc > 1) adapt = tw::adapt{.every = 50ms, .planner = asks_for(std::stoi(argv[1]))};
  tw::live::server page(tw::launch(job, tw::threads{}, {.adapt = adapt}),
                        {.token = "sesame", .every = 50ms, .announce = false});
  std::cout << page.url() << std::endl;
  std::string line;
  std::getline(std::cin, line);
  page.execution().stop();
  std::cout << page.wait().items() << std::endl;
  std::getline(std::cin, line);
}
