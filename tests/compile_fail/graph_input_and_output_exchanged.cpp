// expect: thalweg::graph: the first argument of connect must be an output
#include <thalweg/thalweg.hpp>

namespace tw = thalweg;

struct passing : tw::stage {
  tw::in<int> in{this, "in"};
  tw::out<int> out{this, "out"};
  void on_item(tw::in<int>&, int x) { out.send(x); }
};

int main() {
  tw::graph g;
  auto& a = g.add<passing>();
  auto& b = g.add<passing>();
  g.connect(a.out, b.in);
#ifdef WRONG
  g.connect(a.in, b.out);
#endif
}
