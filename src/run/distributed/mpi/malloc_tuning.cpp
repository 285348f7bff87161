#include "malloc_tuning.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include <malloc.h>

namespace THALWEG_NAMESPACE::run_detail::distributed {

void tune_malloc(std::size_t most) {
#ifdef __GLIBC__
  static constexpr std::array settings{"MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES"};
  const bool has_wishes = std::any_of(settings.begin(), settings.end(),
                                      [](const char* name) { return std::getenv(name) != nullptr; });
  if (most == 0 || has_wishes) return;
  constexpr int largest = 32 << 20;  // more is not allowed
  mallopt(M_MMAP_THRESHOLD, largest);
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(std::min<std::size_t>(most, std::numeric_limits<int>::max())));
#else
  static_cast<void>(most);
#endif
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
