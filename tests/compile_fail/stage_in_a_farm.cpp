// expect: tw::farm.tw::own_stage
#include <thalweg/thalweg.hpp>

#include <memory>

namespace tw = thalweg;

struct worker : tw::stage {
  tw::in<int> in{this, "in"};
  tw::out<int> out{this, "out"};
  void on_item(tw::in<int>&, int x) { out.send(x); }
};

int main() {
  (void)tw::farm(tw::own_stage(&worker::in, &worker::out), {.replicas = 2});
#ifdef WRONG
  (void)tw::farm(tw::per_replica([] { return std::make_unique<worker>(); }), {.replicas = 2});
#endif
}
