// expect: thalweg::key_by: a stage for each key is tw::stage_per_key
#include <thalweg/thalweg.hpp>

#include <memory>

namespace tw = thalweg;

struct worker : tw::stage {
  tw::in<int> in{this, "in"};
  tw::out<int> out{this, "out"};
  void on_item(tw::in<int>&, int x) { out.send(x); }
};

int main() {
  auto key = [](int x) { return x % 2; };
  (void)tw::stage_per_key(key, &worker::in, &worker::out);
#ifdef WRONG
  (void)tw::key_by(key, [] { return std::make_unique<worker>(); });
#endif
}
