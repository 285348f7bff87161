// expect: (?s)(?=.*neighbours do not fit)(?=.*connection<std::(__cxx11::)?basic_string<char>, int,)
#include <thalweg/thalweg.hpp>

#include <string>
#include <vector>

namespace tw = thalweg;

int main() {
  const auto positive = tw::filter([](int x) { return x > 0; });
  tw::run(tw::source(std::vector{1}) | positive | tw::sink([](int) {}));
#ifdef WRONG
  tw::run(tw::source(std::vector<std::string>{"a"}) | positive | tw::sink([](const std::string&) {}));
#endif
}
