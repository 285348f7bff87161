// expect: thalweg::in: the stage has neither on_item.* nor an on_run
#include <thalweg/thalweg.hpp>

namespace tw = thalweg;

struct idle : tw::stage {
  tw::in<int> in{this, "in"};
#ifndef WRONG
  void on_item(tw::in<int>&, int) {}
#endif
};

int main() {
  tw::graph g;
  g.add<idle>();
}
