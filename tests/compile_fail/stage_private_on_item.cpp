// expect: (?s)(?=.*has an on_item, but none that can be called.*make it public)(?!.*has neither on_item)
#include <thalweg/thalweg.hpp>

namespace tw = thalweg;

class counting : public tw::stage {
#ifndef WRONG
 public:
#endif
  void on_item(tw::in<int>&, int) { ++n; }
  int n = 0;

 public:
  tw::in<int> in{this, "in"};
};

int main() {
  tw::graph g;
  g.add<counting>();
}
