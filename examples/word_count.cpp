// The words that are said most, again and again: word counts in windows that slide over the stream.
//
// Lines of text have times. A word belongs to the time of its line, not to when the program sees it: that is
// event time, so the result is the same whether the lines come live or from a file, on one core or on many.
// Every five seconds the counts of the last ten come out, each word's by itself, because `key_by` stands in
// front of the window.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tw = thalweg;
using namespace std::chrono_literals;

struct line {
  std::chrono::seconds at;
  std::string text;
};
struct word {
  std::chrono::seconds at;
  std::string text;
};
using count = tw::keyed<std::string, tw::windowed<std::int64_t>>;

void words_of(const line& l, tw::emitter<word>& out) {
  std::istringstream text(l.text);
  for (std::string w; text >> w;) out({l.at, w});
}

int main() {
  const std::vector<line> lines{
      {0s, "row row row your boat"},           {2s, "gently down the stream"},
      {5s, "merrily merrily merrily merrily"}, {8s, "life is but a dream"},
      {10s, "row row row your boat"},          {13s, "gently up the creek"},
      {16s, "if you see a little mouse"},      {19s, "do not forget to squeak"},
      {20s, "row row row your boat"},          {23s, "gently down the river"},
  };
  std::map<std::chrono::seconds, std::vector<std::pair<std::int64_t, std::string>>> by_window;
  const auto collect = [&](const count& c) {
    const auto end = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::nanoseconds(c.value.end));
    by_window[end].emplace_back(c.value.value, c.key);
  };

  tw::run(tw::source(lines) | tw::farm(tw::flat_map(words_of)) | tw::key_by(&word::text) |
          tw::window(tw::sliding(10s, 5s), tw::count_of(), tw::event_time(&word::at)) | tw::sink(collect));

  for (auto& [end, counts] : by_window) {
    // Of equally frequent words the one that was said first.
    std::stable_sort(counts.begin(), counts.end(), [](auto& a, auto& b) { return a.first > b.first; });
    std::cout << "up to " << end.count() << "s:";
    for (std::size_t i = 0; i < std::min<std::size_t>(counts.size(), 3); ++i)
      std::cout << ' ' << counts[i].second << ' ' << counts[i].first;
    std::cout << '\n';
  }

  std::int64_t counted = 0;  // each of the 47 words is in two windows
  for (const auto& [end, counts] : by_window) {
    for (const auto& c : counts) counted += c.first;
  }
  const auto said = [&](std::chrono::seconds end) { return by_window.at(end).front(); };
  return by_window.size() == 6 && said(10s) == std::pair(std::int64_t{4}, std::string("merrily")) &&
                 said(20s) == std::pair(std::int64_t{3}, std::string("row")) && counted == 2 * 47
             ? 0
             : 1;
}
