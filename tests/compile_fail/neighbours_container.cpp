// expect: (?s)(?=.*neighbours do not fit)(?=.*connection<std::(__cxx11::)?basic_string<char>, int,)
#include <thalweg/thalweg.hpp>

#include <string>
#include <vector>

namespace tw = thalweg;

int main() {
  std::vector<int> numbers;
  tw::run(tw::source(std::vector{1}) | tw::sink(numbers));
#ifdef WRONG
  tw::run(tw::source(std::vector<std::string>{"a"}) | tw::sink(numbers));
#endif
}
