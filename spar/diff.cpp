#include "diff.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace thalweg::spar {
namespace {

constexpr std::size_t lines_around = 3;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> made;
  while (!text.empty()) {
    const auto end = text.find('\n');
    made.push_back(text.substr(0, end == std::string_view::npos ? end : end + 1));
    text.remove_prefix(made.back().size());
  }
  return made;
}

struct line {
  char mark;  ///< ' ', '-' or '+'
  std::string_view text;
};

/// The longest common lines; what surrounds all changes is taken off first.
std::vector<line> compare(const std::vector<std::string_view>& old,
                          const std::vector<std::string_view>& now) {
  std::size_t first = 0, behind = 0;
  while (first < old.size() && first < now.size() && old[first] == now[first]) ++first;
  while (behind < old.size() - first && behind < now.size() - first &&
         old[old.size() - 1 - behind] == now[now.size() - 1 - behind]) {
    ++behind;
  }
  const auto rows = old.size() - first - behind, columns = now.size() - first - behind;
  std::vector<std::vector<std::size_t>> common(rows + 1, std::vector<std::size_t>(columns + 1, 0));
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      common[i][j] = old[first + i] == now[first + j] ? common[i + 1][j + 1] + 1
                                                      : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<line> made;
  for (std::size_t i = 0; i < first; ++i) made.push_back({' ', old[i]});
  std::size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && old[first + i] == now[first + j]) {
      made.push_back({' ', old[first + i]});
      ++i, ++j;
    } else if (i < rows && (j == columns || common[i + 1][j] >= common[i][j + 1])) {
      made.push_back({'-', old[first + i++]});
    } else {
      made.push_back({'+', now[first + j++]});
    }
  }
  for (std::size_t k = old.size() - behind; k < old.size(); ++k) made.push_back({' ', old[k]});
  return made;
}

}  // namespace

std::string unified_diff(const std::string& before, const std::string& after, const std::string& name) {
  if (before == after) return "";
  const auto all = compare(lines_of(before), lines_of(after));
  std::string made = "--- " + name + "\n+++ " + name + "\n";
  std::size_t old_line = 1, new_line = 1;
  for (std::size_t i = 0; i < all.size();) {
    // The next change, with what is around it; changes that are near each other are in one hunk.
    std::size_t change = i;
    while (change < all.size() && all[change].mark == ' ') ++change;
    if (change == all.size()) break;
    const auto begin = std::max(i, change > lines_around ? change - lines_around : 0);
    std::size_t last = change;
    for (std::size_t k = change; k < all.size() && k <= last + 2 * lines_around; ++k) {
      if (all[k].mark != ' ') last = k;
    }
    const auto end = std::min(all.size(), last + lines_around + 1);
    old_line += begin - i;
    new_line += begin - i;
    std::size_t old_count = 0, new_count = 0;
    std::string body;
    for (std::size_t k = begin; k < end; ++k) {
      old_count += all[k].mark != '+' ? 1 : 0;
      new_count += all[k].mark != '-' ? 1 : 0;
      body += all[k].mark;
      body += all[k].text;
      if (all[k].text.empty() || all[k].text.back() != '\n') body += "\n\\ No newline at end of file\n";
    }
    made += "@@ -" + std::to_string(old_line) + "," + std::to_string(old_count) + " +" +
            std::to_string(new_line) + "," + std::to_string(new_count) + " @@\n" + body;
    old_line += old_count;
    new_line += new_count;
    i = end;
  }
  return made;
}

}  // namespace thalweg::spar
