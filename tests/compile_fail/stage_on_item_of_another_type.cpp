// expect: (?s)(?=.*has an on_item, but none that can be called.*give it these parameters)(?!.*has neither on_item)
#include <thalweg/thalweg.hpp>

#include <string>

namespace tw = thalweg;

struct reading : tw::stage {
  tw::in<int> in{this, "in"};
#ifdef WRONG
  void on_item(tw::in<int>&, const std::string&) {}
#else
  void on_item(tw::in<int>&, int) {}
#endif
};

int main() {
  tw::graph g;
  g.add<reading>();
}
