// A shared library with Thalweg inside, of which its users know nothing.
#include <thalweg/thalweg.hpp>

#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

namespace tw = thalweg;

#define GIVEN_AWAY extern "C" __attribute__((visibility("default")))
#define JOINED(a, b) a##b
#define NAMED(a, b) JOINED(a, b)

GIVEN_AWAY long NAMED(sum_, NAME)(int n) {
  long sum = 0;
  tw::graph g;
  auto& t = g.add<tw::tee<int>>();
  auto doubled = g.add(tw::source(std::views::iota(0, n)) | tw::farm([](int x) { return 2 * x; }));
  g.connect(doubled.out, t.in);
  g.connect(t.branch(), g.add(tw::sink([&](int x) { sum += x; })).in);
  tw::run(g);
  const tw::any_pipeline<int, int> same = tw::map([](int x) { return x; });
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1, 2, 3}) | same | tw::sink(seen));
  return sum + static_cast<long>(seen.size());
}

/// What this library's Thalweg says of a rate of nothing, which is refused.
GIVEN_AWAY const char* NAMED(message_, NAME)() {
  static std::string text;
  try {
    tw::run(tw::paced([]() -> std::optional<int> { return 1; }, 0.0) | tw::sink([](int) {}));
  } catch (const std::exception& e) {
    text = e.what();
  }
  return text.c_str();
}

GIVEN_AWAY void NAMED(fail_, NAME)() {
  tw::run(tw::source(std::vector{1}) |
          tw::map([](int x) { return x == 1 ? throw std::runtime_error("from the library") : x; },
                  {.name = "fails"}) |
          tw::sink([](int) {}));
}
