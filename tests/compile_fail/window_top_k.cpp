// expect: thalweg::top_k: by must be callable with an item
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

struct sale {
  int amount;
};

int main() {
  auto through = [](auto agg) {
    tw::run(tw::source(std::vector<sale>{{1}}) | tw::window(tw::count(2), agg) |
            tw::sink([](const tw::windowed<std::vector<sale>>&) {}));
  };
  through(tw::top_k(2, &sale::amount));
#ifdef WRONG
  through(tw::top_k(2));
#endif
}
