// expect: thalweg::graph: the operator takes items of any type: name the type that it gets here with g.add<T>
#include <thalweg/thalweg.hpp>

namespace tw = thalweg;

int main() {
  tw::graph g;
  g.add<int>(tw::batch(2));
#ifdef WRONG
  g.add(tw::batch(2));
#endif
}
