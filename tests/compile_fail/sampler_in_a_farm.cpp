// expect: keep the stage serial
#include <thalweg/stages/sampler.hpp>
#include <thalweg/thalweg.hpp>

#include <vector>

namespace tw = thalweg;

int main() {
  tw::run(tw::source(std::vector{1}) | tw::sampler(2) | tw::sink([](int) {}));
#ifdef WRONG
  tw::run(tw::source(std::vector{1}) | tw::farm(tw::sampler(2)) | tw::sink([](int) {}));
#endif
}
