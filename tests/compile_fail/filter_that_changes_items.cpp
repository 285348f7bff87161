// expect: (?s)(?=.*thalweg::filter: the predicate takes its item by reference, but may not change it)
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  tw::run(tw::source(std::vector{1}) | tw::filter([](const int& x) { return x > 0; }) | tw::sink([](int) {}));
#ifdef WRONG
  tw::run(tw::source(std::vector{1}) | tw::filter([](int& x) { return ++x > 0; }) | tw::sink([](int) {}));
#endif
}
