#include "apps/word_count/sink.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "apps/support/error.hpp"

namespace apps::word_count {

sink::sink(std::filesystem::path file) : out_(std::move(file)) {}

void sink::operator()(const counts& part) {
  const bool first = all_.size() == 0;
  if (first) {
    all_ = part;
    return;
  }
  part.for_each([&](std::string_view word, std::uint64_t times) {
    if (all_.times(word) != 0)
      throw error("'" + out_.path().string() + "' is not written: the word '" + std::string(word) +
                  "' was counted in two parts");
    all_.add(word, times);
  });
}

void sink::close() {
  std::vector<std::pair<std::uint64_t, std::string_view>> found;
  found.reserve(all_.size());
  all_.for_each([&](std::string_view word, std::uint64_t times) { found.emplace_back(times, word); });
  std::ranges::sort(found, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  for (const auto& [times, word] : found) out_.write(line_of(word, times));
  out_.close();
}

}  // namespace apps::word_count
