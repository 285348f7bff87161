// A stage that must stay on the thread that calls `run`: a window system, a script interpreter, anything
// with thread-local state.
//
// `.on = tw::caller_thread` keeps it there, whatever the policy. The other stages go where the policy puts
// them. With `launch` it is the thread that calls `wait`.
#include <thalweg/thalweg.hpp>

#include <iostream>
#include <ranges>
#include <thread>

namespace tw = thalweg;

int main() {
  const auto here = std::this_thread::get_id();
  int drawn = 0;
  bool always_here = true;
  auto draw = [&](int) {
    always_here = always_here && std::this_thread::get_id() == here;
    ++drawn;
  };

  tw::run(tw::source(std::views::iota(0, 1'000)) | tw::farm([](int x) { return x * x; }) |
          tw::sink(draw, {.name = "draw", .on = tw::caller_thread}));

  std::cout << drawn << " drawn, " << (always_here ? "all" : "not all") << " on the caller's thread\n";
  return drawn == 1'000 && always_here ? 0 : 1;
}
