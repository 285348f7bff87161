// expect: thalweg::tee: each branch gets a copy, but the items cannot be copied
#include <thalweg/thalweg.hpp>

#include <memory>

namespace tw = thalweg;

int main() {
  tw::graph g;
  g.add<tw::tee<int>>();
#ifdef WRONG
  g.add<tw::tee<std::unique_ptr<int>>>();
#endif
}
