// expect: (?s)(?=.*neighbours do not fit)(?=.*connection<std::(__cxx11::)?basic_string<char>, int,)
#include <thalweg/thalweg.hpp>

#include <string>
#include <vector>

namespace tw = thalweg;

int main() {
  const auto words = tw::source(std::vector<std::string>{"a"});
  const auto length = tw::map([](const std::string& s) { return static_cast<int>(s.size()); });
  const auto add = tw::map([](int x) { return x + 1; });
  tw::run(words | length | add | tw::sink([](int) {}));
#ifdef WRONG
  tw::run(words | add | tw::sink([](int) {}));
#endif
}
