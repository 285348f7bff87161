#include "spb/detail/spellings.hpp"

#include <utility>

namespace spb::detail {
namespace {

constexpr std::pair<char, std::string_view> letters[] = {
    {'i', "input"},     {'t', "nthreads"},        {'b', "batch-size"}, {'B', "batch-interval"},
    {'m', "monitor"},   {'M', "monitor"},         {'f', "frequency"},  {'F', "freq-patt"},
    {'I', "in-memory"}, {'l', "latency"},         {'T', "throughput"}, {'r', "memory-usage"},
    {'u', "user-arg"},  {'L', "latency-monitor"}, {'q', "quiet"},      {'h', "help"}};

constexpr std::pair<std::string_view, std::string_view> others[] = {
    {"batch", "batch-size"}, {"monitor-thread", "monitor"}, {"resource-usage", "memory-usage"}};

// Those of its bzip2, which come from pbzip2.
constexpr std::string_view by_itself = "a .bz2 file is decompressed, and any other compressed, without it";
constexpr std::string_view size = "blocks have 900 kB, as with -9";
constexpr std::string_view version = "./thalweg version tells";
constexpr std::pair<std::string_view, std::string_view> refused[] = {
    {"d", by_itself},
    {"decompress", by_itself},
    {"z", by_itself},
    {"compress", by_itself},
    {"c", "-output /dev/stdout"},
    {"stdout", "-output /dev/stdout"},
    {"X", "an output replaces the file that was there, without it"},
    {"force", "an output replaces the file that was there, without it"},
    {"C", "an input is kept, without it"},
    {"keep", "an input is kept, without it"},
    {"v", "progress is shown on a terminal, without it"},
    {"verbose", "progress is shown on a terminal, without it"},
    {"test", "a damaged .bz2 file is an error when it is decompressed, without it"},
    {"P", "-nthreads"},
    {"W", "it does nothing there either"},
    {"J", version},
    {"V", version},
    {"version", version},
    {"license", version},
    {"Q", size},
    {"R", size},
    {"best", size},
    {"fast", size}};

template <class Table, class Key> std::string_view found_in(const Table& table, const Key& key) {
  for (const auto& [name, value] : table)
    if (name == key) return value;
  return {};
}

}  // namespace

std::string_view name_of_letter(char letter) {
  return found_in(letters, letter);
}
std::string_view name_of_other(std::string_view other) {
  return found_in(others, other);
}
std::string_view instead_of(std::string_view option) {
  if (option.size() == 1 && option[0] >= '1' && option[0] <= '9') return size;
  return found_in(refused, option);
}

std::string letters_text() {
  std::string text;
  for (const auto& [letter, name] : letters)
    text += std::string(text.empty() ? "" : ", ") + "-" + letter + " " + std::string(name);
  return text;
}

}  // namespace spb::detail
