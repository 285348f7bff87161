#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/support/bits.hpp"
#include "apps/support/files.hpp"
#include "apps/word_count/inputs.hpp"
#include "apps/word_count/sink.hpp"

namespace apps::word_count {
namespace {

using sorted_counts = std::map<std::string, std::uint64_t, std::less<>>;

/// Whether a byte belongs to a word, said in other words than those of the operator that is checked.
bool in_word(char byte) {
  return static_cast<unsigned char>(byte) > 127 || (byte >= '0' && byte <= '9') ||
         (byte >= 'a' && byte <= 'z');
}

/// A word behind its first eight bytes as a number: most are told apart by these alone.
using sortable = std::pair<std::uint64_t, std::string_view>;

/// Sorts the words and counts those that are alike, which are neighbours then.
void add_sorted(std::vector<sortable>& words, std::uint64_t passes, sorted_counts& to) {
  std::ranges::sort(words);
  for (auto first = words.begin(); first != words.end();) {
    const auto end = std::upper_bound(first, words.end(), *first);
    const auto times = static_cast<std::uint64_t>(end - first) * passes;
    const auto found = to.find(first->second);
    if (found == to.end())
      to.emplace(first->second, times);
    else
      found->second += times;
    first = end;
  }
  words.clear();
}

sorted_counts count_by_sorting(const stream& of) {
  constexpr std::size_t at_once = 2'000'000;
  auto text = read_file(of.text);
  for (auto& byte : text)
    if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte + ('a' - 'A'));
  sorted_counts counts;
  std::vector<sortable> words;
  for (auto at = text.begin(); (at = std::find_if(at, text.end(), in_word)) != text.end();) {
    const auto end = std::find_if_not(at, text.end(), in_word);
    const std::string_view word(&*at, static_cast<std::size_t>(end - at));
    words.emplace_back(bits_from(word, 0), word);
    if (words.size() == at_once) add_sorted(words, of.passes, counts);
    at = end;
  }
  add_sorted(words, of.passes, counts);
  return counts;
}

}  // namespace

verdict verify(std::string_view /*input*/, const std::filesystem::path& folder,
               const std::filesystem::path& output) {
  const auto written = read_file(output);
  const auto counts = count_by_sorting(read_stream(folder));
  std::uint64_t words = 0;
  std::vector<std::pair<std::string_view, std::uint64_t>> due;
  for (const auto& [word, times] : counts) {
    due.emplace_back(word, times);
    words += times;
  }
  // They are in the order of their bytes, and stay so where they came equally often.
  std::ranges::stable_sort(due, std::ranges::greater{}, [](const auto& one) { return one.second; });
  auto rest = view(written);
  for (std::size_t i = 0; i < due.size(); ++i) {
    const auto& [word, times] = due[i];
    const auto line = line_of(word, times);
    if (!rest.starts_with(line))
      return {false, "line " + std::to_string(i + 1) + " of '" + output.string() + "' is not " +
                         std::to_string(times) + " times '" + std::string(word) + "'"};
    rest.remove_prefix(line.size());
  }
  if (!rest.empty())
    return {false, "'" + output.string() + "' has more than the " + std::to_string(due.size()) + " words"};
  return {true, std::to_string(words) + " words, " + std::to_string(due.size()) +
                    " different ones, counted by sorting"};
}

}  // namespace apps::word_count
