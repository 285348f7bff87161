// expect: thalweg::paced: .*std::optional<T>
#include <thalweg/thalweg.hpp>

#include <optional>

namespace tw = thalweg;

int main() {
  (void)tw::paced([]() -> std::optional<int> { return {}; }, 10.0);
#ifdef WRONG
  (void)tw::paced([](tw::emitter<int>&) {}, 10.0);
#endif
}
