// Whether this GrPPI's back end of oneTBB can be used. CMake builds and runs it: exit code 0 if so.
#include <memory>
#include <string>
#include <vector>

#include <grppi/grppi.h>

namespace {

/// Stands for std::optional, and keeps whether something was taken out of an empty one.
struct next_text {
  using value_type = std::string;

  explicit operator bool() const { return is_full; }
  std::string operator*() const {
    is_safe = is_safe && is_full;
    return "text";
  }

  bool is_full;
  static inline bool is_safe = true;
};

// The programs have functions as stages, too.
std::string same(std::string text) {
  return text;
}

}  // namespace

int main() {
  int left = 10;
  std::string all;
  grppi::pipeline(
      grppi::parallel_execution_tbb(2), [&left] { return next_text{left-- > 0}; }, grppi::farm(2, same),
      [&all](const std::string& text) { all += text; });
  return next_text::is_safe && all.size() == 40 ? 0 : 1;
}
