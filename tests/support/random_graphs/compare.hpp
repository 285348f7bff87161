#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "../difference.hpp"
#include "description.hpp"
#include "operators.hpp"
#include "oracle.hpp"

namespace random_graphs {

inline std::map<std::int64_t, std::vector<item>> by_path(const std::vector<item>& all) {
  std::map<std::int64_t, std::vector<item>> paths;
  for (const auto& x : all) paths[x.path].push_back(x);
  return paths;
}

inline bool begins_with(const std::vector<item>& all, const std::vector<item>& first) {
  return first.size() <= all.size() && std::equal(first.begin(), first.end(), all.begin());
}

/// What the sinks did not get as they should, all of it or a beginning; empty: nothing.
inline std::string mismatch(const witness& w, const prediction& expected, bool all) {
  const auto& l = w.described;
  for (std::size_t i = 0; i < l.nodes.size(); ++i) {
    if (l.nodes[i].what != verb::sink) continue;
    const auto s = l.nodes[i].in.front();
    auto want = expected.seen(s);
    auto seen = w.nodes[i].seen;
    const auto where = l.nodes[i].name(i) + (all ? "" : " got no beginning of what it should") + ": ";
    switch (l.streams[s].order) {
      case label::sequence:
        if (all ? seen != want : !begins_with(want, seen))
          return where + "(sequence) " + difference(want, seen);
        break;
      case label::by_path: {
        auto paths = by_path(want);
        if (all && seen.size() != want.size()) return where + "(by path) " + difference(want, seen);
        for (const auto& [path, items] : by_path(seen)) {
          if (all ? items != paths[path] : !begins_with(paths[path], items))
            return where + "(path " + std::to_string(path) + ") " + difference(paths[path], items);
        }
        break;
      }
      case label::multiset:
        std::sort(want.begin(), want.end());
        std::sort(seen.begin(), seen.end());
        if (all ? seen != want : !std::includes(want.begin(), want.end(), seen.begin(), seen.end()))
          return where + "(any order) " + difference(want, seen);
        break;
    }
  }
  return {};
}

}  // namespace random_graphs
