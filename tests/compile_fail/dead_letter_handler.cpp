// expect: handler\(const T&, std::exception_ptr\)
#include <thalweg/thalweg.hpp>

#include <exception>

namespace tw = thalweg;

int main() {
  (void)tw::dead_letter([](const int&, std::exception_ptr) {});
#ifdef WRONG
  (void)tw::dead_letter([](const int&) {});
#endif
}
