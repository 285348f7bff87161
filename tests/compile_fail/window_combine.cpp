// expect: thalweg::aggregate: combine must join two results of lift
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  auto lift = [](int x) { return x; };
  auto count = [](auto agg) {
    tw::run(tw::source(std::vector{1}) | tw::window(tw::count(2), agg) |
            tw::sink([](const tw::windowed<int>&) {}));
  };
  count(tw::aggregate(lift, [](int a, int b) { return a + b; }));
#ifdef WRONG
  count(tw::aggregate(lift, [](int a) { return a; }));
#endif
}
