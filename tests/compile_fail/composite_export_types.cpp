// expect: must be of the type that the child's input takes
#include <thalweg/thalweg.hpp>

namespace tw = thalweg;

struct box : tw::composite_stage {
  tw::exported_in<int> in{this, "in"};
  tw::exported_in<double> wrong{this, "wrong"};
  box() {
    auto s = add(tw::sink([](int) {}));
    in.leads_to(s.in);
#ifdef WRONG
    wrong.leads_to(s.in);
#endif
  }
};

int main() {
  tw::graph g;
  g.add<box>();
}
