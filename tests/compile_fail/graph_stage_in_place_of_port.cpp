// expect: (?s)(?=.*this is a stage: name one of its members)(?!.*error:.*error:)
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

struct counting : tw::stage {
  tw::in<int> in{this, "in"};
  void on_item(tw::in<int>&, int) {}
};

int main() {
  tw::graph g;
  auto a = g.add(tw::source(std::vector{1}));
  auto& c = g.add<counting>();
  g.connect(a.out, c.in);
#ifdef WRONG
  g.connect(a.out, c);
#endif
}
