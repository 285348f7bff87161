// expect: line . tw::own_stage
#include <thalweg/thalweg.hpp>

#include <memory>
#include <vector>

namespace tw = thalweg;

struct worker : tw::stage {
  tw::in<int> in{this, "in"};
  tw::out<int> out{this, "out"};
  void on_item(tw::in<int>&, int x) { out.send(x); }
};

int main() {
  auto line = tw::source(std::vector{1}) | tw::own_stage(&worker::in, &worker::out) | tw::sink([](int) {});
  (void)line;
#ifdef WRONG
  (void)(tw::source(std::vector{1}) | [] { return std::make_unique<worker>(); } | tw::sink([](int) {}));
#endif
}
