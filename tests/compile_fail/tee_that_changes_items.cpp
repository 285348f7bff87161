// expect: tee_to: the handler only looks at its item
#include <thalweg/stages/tee.hpp>
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
#ifdef WRONG
  tw::run(tw::source(std::vector{1}) | tw::tee_to([](int& x) { ++x; }) | tw::sink([](int) {}));
#endif
}
