// expect: (?s)(?=.*neighbours do not fit)(?=.*connection<int, (thalweg::model::)?any_range,)
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  tw::run(tw::source(std::vector<std::vector<int>>{}) | tw::unbatch() | tw::sink([](int) {}));
#ifdef WRONG
  tw::run(tw::source(std::vector{1}) | tw::unbatch() | tw::sink([](int) {}));
#endif
}
