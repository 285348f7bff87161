// expect: f\(const T&, std::size_t replicas\)
#include <thalweg/thalweg.hpp>

#include <cstddef>

namespace tw = thalweg;

int main() {
  (void)tw::route([](const int&, std::size_t) { return std::size_t{0}; });
#ifdef WRONG
  (void)tw::route([](const int&) { return std::size_t{0}; });
#endif
}
