// expect: tw::run\(std::move\(job\)\)
#include <thalweg/thalweg.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace tw = thalweg;

int main() {
  auto job = tw::source(std::vector<std::unique_ptr<int>>(3)) | tw::sink([](const std::unique_ptr<int>&) {});
#ifdef WRONG
  tw::run(job);
#else
  tw::run(std::move(job));
#endif
}
