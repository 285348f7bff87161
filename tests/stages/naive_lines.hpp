#pragma once

#include <string>
#include <utility>
#include <vector>

/// What the lines of a text are, by the simplest means.
inline std::vector<std::string> naive_lines(const std::string& text, bool crlf) {
  std::vector<std::string> lines;
  std::string line;
  for (const char c : text) {
    if (c != '\n') {
      line += c;
      continue;
    }
    if (crlf && line.ends_with('\r')) line.pop_back();
    lines.push_back(std::exchange(line, {}));
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}
