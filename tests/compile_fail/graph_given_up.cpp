// expect: runnable
#include <thalweg/thalweg.hpp>

#include <utility>

namespace tw = thalweg;

int main() {
  tw::graph g;
  tw::run(g);
#ifdef WRONG
  tw::run(std::move(g));
#endif
}
