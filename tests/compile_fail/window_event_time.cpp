// expect: thalweg::event_time: the function must give a std::chrono duration
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

namespace tw = thalweg;

int main() {
  auto through = [](auto times) {
    tw::run(tw::source(std::vector{1}) |
            tw::window(tw::tumbling(std::chrono::seconds(1)), tw::count_of(), times) |
            tw::sink([](const tw::windowed<std::int64_t>&) {}));
  };
  through(tw::event_time([](int x) { return std::chrono::milliseconds(x); }));
#ifdef WRONG
  through(tw::event_time([](int x) { return 0.001 * x; }));
#endif
}
