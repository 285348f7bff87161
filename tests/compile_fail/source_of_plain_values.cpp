// expect: tw::emitter<T>&|std::optional<T>
#include <thalweg/thalweg.hpp>

#include <optional>

namespace tw = thalweg;

int main() {
  tw::run(tw::source([]() -> std::optional<int> { return {}; }) | tw::sink([](int) {}));
#ifdef WRONG
  tw::run(tw::source([] { return 1; }) | tw::sink([](int) {}));
#endif
}
