// expect: (?s)(?=.*neighbours do not fit)(?=.*connection<std::(__cxx11::)?basic_string<char>, int,)
#include <thalweg/thalweg.hpp>

#include <string>
#include <vector>

namespace tw = thalweg;

int main() {
  const auto add = tw::farm([](int x) { return x + 1; });
  tw::run(tw::source(std::vector{1}) | add | tw::sink([](int) {}));
#ifdef WRONG
  tw::run(tw::source(std::vector<std::string>{"a"}) | add | tw::sink([](int) {}));
#endif
}
