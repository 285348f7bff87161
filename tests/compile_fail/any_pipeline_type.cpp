// expect: gives another type of items
#include <thalweg/thalweg.hpp>

#include <string>

namespace tw = thalweg;

int main() {
  const tw::any_pipeline<int, int> line = tw::map([](int x) { return x; });
  (void)line;
#ifdef WRONG
  const tw::any_pipeline<int, std::string> wrong = tw::map([](int x) { return x; });
  (void)wrong;
#endif
}
