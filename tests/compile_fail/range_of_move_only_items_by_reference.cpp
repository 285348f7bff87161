// expect: thalweg::source: .*std::move
#include <thalweg/thalweg.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace tw = thalweg;

int main() {
  std::vector<std::unique_ptr<int>> items(3);
#ifdef WRONG
  tw::run(tw::source(items) | tw::sink([](const std::unique_ptr<int>&) {}));
#else
  tw::run(tw::source(std::move(items)) | tw::sink([](const std::unique_ptr<int>&) {}));
#endif
}
