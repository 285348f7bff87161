// expect: thalweg::aggregate: lift .or what tw::sum_of and the like are given. must be callable
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

struct sale {
  int amount;
};
struct refund {
  int amount;
};

int main() {
  auto through = [](auto agg) {
    tw::run(tw::source(std::vector<sale>{{1}}) | tw::window(tw::count(2), agg) |
            tw::sink([](const tw::windowed<int>&) {}));
  };
  through(tw::sum_of(&sale::amount));
#ifdef WRONG
  through(tw::sum_of(&refund::amount));
#endif
}
