#include "apps/inputs/suggest.hpp"

#include <algorithm>

namespace apps {

namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] =
          std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest(std::string_view meant, const std::vector<std::string>& names) {
  std::string found;
  auto least = std::max<std::size_t>(2, meant.size() / 3) + 1;
  for (const auto& name : names) {
    const auto d = distance(meant, name);
    if (d >= least) continue;
    least = d;
    found = name;
  }
  return found;
}

}  // namespace apps
