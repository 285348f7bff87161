#pragma once

#include <vector>

#include "bench/support/several_sources.hpp"

/// Works on what several sources give, and writes it, in the order of the stream: the next item is the first
/// one of those that the sources have in front.
template <class Source, class Item, class Sink, class Work> void stream_of_several_sources(Work work) {
  auto sources = several_sources<Source>(2);
  std::vector<Item> in_front(sources.size());  // an empty one: its source has ended
  for (std::size_t i = 0; i < sources.size(); ++i) sources[i].getItem(in_front[i]);
  while (true) {
    auto next = sources.size();
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (in_front[i].empty()) continue;
      if (next == sources.size() || in_front[i].batch_index < in_front[next].batch_index) next = i;
    }
    if (next == sources.size()) return;
    work(in_front[next]);
    Sink::op(in_front[next]);
    if (!sources[next].getItem(in_front[next])) in_front[next].clear();
  }
}
