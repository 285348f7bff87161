// expect: connection<std::(__cxx11::)?(basic_)?string.*, int,
#include <thalweg/thalweg.hpp>

#include <string>
#include <vector>

namespace tw = thalweg;

struct counting : tw::stage {
  tw::in<int> in{this, "in"};
  void on_item(tw::in<int>&, int) {}
};

int main() {
  tw::graph g;
  auto& c = g.add<counting>();
  g.connect(g.add(tw::source(std::vector{1})).out, c.in);
#ifdef WRONG
  g.connect(g.add(tw::source(std::vector<std::string>{"a"})).out, c.in);
#endif
}
