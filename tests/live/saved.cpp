// A run that writes its samples into the file that its argument names, and its report to the standard output.
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <iostream>
#include <optional>
#include <thread>

namespace tw = thalweg;
using namespace std::chrono_literals;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto job = tw::source([n = 0]() mutable { return n < 300 ? std::optional(n++) : std::nullopt; },
                        {.name = "read"}) |
             tw::farm(
                 [](int x) {
                   std::this_thread::sleep_for(1ms);
                   return x;
                 },
                 {.replicas = 2, .name = "compress"}) |
             tw::sink([](int) {}, {.name = "write"});
  std::cout << tw::run(job, tw::threads{}, {.monitor = argv[1], .every = 20ms}).to_json() << '\n';
}
