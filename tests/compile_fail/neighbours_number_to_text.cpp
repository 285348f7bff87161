// expect: (?s)(?=.*neighbours do not fit)(?=.*connection<int, std::(__cxx11::)?basic_string<char>,)
#include <thalweg/thalweg.hpp>

#include <string>
#include <vector>

namespace tw = thalweg;

int main() {
  const auto numbers = tw::source(std::vector{1});
  const auto print = tw::sink([](const std::string&) {});
  tw::run(numbers | tw::map([](int x) { return std::to_string(x); }) | print);
#ifdef WRONG
  tw::run(numbers | print);
#endif
}
