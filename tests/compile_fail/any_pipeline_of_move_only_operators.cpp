// expect: its operators must be copyable
#include <thalweg/thalweg.hpp>

#include <memory>
#include <utility>

namespace tw = thalweg;

int main() {
  auto line = tw::map([p = std::make_unique<int>(1)](int x) { return x + *p; });
  (void)line;
#ifdef WRONG
  const tw::any_pipeline<int, int> erased = std::move(line);
  (void)erased;
#endif
}
