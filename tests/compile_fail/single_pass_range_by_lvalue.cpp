// expect: tw::run\(std::move\(job\)\)
#include <thalweg/thalweg.hpp>

#include <ranges>
#include <sstream>
#include <utility>

namespace tw = thalweg;

int main() {
  std::istringstream text("1 2 3");
  auto job = tw::source(std::views::istream<int>(text)) | tw::sink([](int) {});
#ifdef WRONG
  tw::run(job);
#else
  tw::run(std::move(job));
#endif
}
