// expect: (?s)(?=.*neighbours do not fit)(?=.*connection<std::(__cxx11::)?basic_string<char>, int,)
#include <thalweg/thalweg.hpp>

#include <string>

namespace tw = thalweg;

int main() {
  const tw::any_pipeline<int, std::string> text = tw::map([](int x) { return std::to_string(x); });
  const tw::any_pipeline<int, int> add = tw::map([](int x) { return x + 1; });
  (void)(add | text);
#ifdef WRONG
  (void)(text | add);
#endif
}
