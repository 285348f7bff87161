#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

/// Where what came differs first from what should have come, and where that item should have been.
template <class Item>
std::string difference(const std::vector<Item>& expected, const std::vector<Item>& seen) {
  const auto [a, b] = std::mismatch(expected.begin(), expected.end(), seen.begin(), seen.end());
  std::ostringstream text;
  text << seen.size() << " items instead of " << expected.size() << ", the first difference at "
       << a - expected.begin() << ":";
  if (a != expected.end()) text << " expected " << *a;
  if (b != seen.end()) {
    text << " got " << *b;
    if (const auto at = std::find(expected.begin(), expected.end(), *b); at != expected.end())
      text << " (expected at " << at - expected.begin() << ")";
  }
  return text.str();
}
