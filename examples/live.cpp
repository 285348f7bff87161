// A stream in the browser: halfway, one stage becomes the bottleneck. The page shows which, and what would
// help. usage: live [seconds], 60 by default
#include <thalweg/live/server.hpp>
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <thread>

namespace tw = thalweg;
using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

int main(int argc, char** argv) {
  const std::chrono::duration<double> whole(argc > 1 ? std::atof(argv[1]) : 60.0);
  const auto begin = clock_type::now();
  const auto passed = [=] { return clock_type::now() - begin; };

  auto read = [=, n = 0]() mutable { return passed() < whole ? std::optional(n++) : std::nullopt; };
  auto compress = [=](int x) {
    std::this_thread::sleep_for(passed() < whole / 2 ? 100us : 4ms);
    return x / 2;
  };
  auto job = tw::paced(read, 500.0, {.name = "read"}) |
             tw::farm(compress, {.replicas = 1, .name = "compress", .blocking = true}) |
             tw::sink([](int) {}, {.name = "write"});

  // The page can give the farm more replicas: it asks for the token.
  tw::live::server page(tw::launch(job), {.token = "sesame", .title = "A bottleneck"});
  const tw::report r = page.wait();
  std::cout << r;
  return r.items() > 0 ? 0 : 1;
}
