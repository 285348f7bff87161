// expect: (?s)(?=.*neighbours do not fit)(?=.*connection<int, std::(__cxx11::)?basic_string<char>,)
#include <thalweg/thalweg.hpp>

#include <string>
#include <vector>

namespace tw = thalweg;

int main() {
  const auto numbers = tw::source(std::vector{1});
  const auto shout = tw::map([](const std::string& s) { return s + "!"; });
  tw::run(numbers | tw::farm(tw::map([](int x) { return std::to_string(x); }) | shout) |
          tw::sink([](const std::string&) {}));
#ifdef WRONG
  tw::run(numbers | tw::farm(tw::map([](int x) { return -x; }) | shout) |
          tw::sink([](const std::string&) {}));
#endif
}
