// A run with a page. Its farm is the slowest stage while it has one replica; with four the source is. A line
// on the standard input stops it, and another one ends the program.
#include <thalweg/live/server.hpp>
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

namespace tw = thalweg;
using namespace std::chrono_literals;

int main() {
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
  tw::live::server page(tw::launch(job, tw::threads{}),
                        {.token = "sesame", .every = 50ms, .announce = false});
  std::cout << page.url() << std::endl;
  std::string line;
  std::getline(std::cin, line);
  page.execution().stop();
  std::cout << page.wait().items() << std::endl;
  std::getline(std::cin, line);
}
