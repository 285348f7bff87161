#include "apps/hash_search/source.hpp"

#include <charconv>
#include <string>
#include <system_error>

#include "apps/support/csv.hpp"

namespace apps::hash_search {
namespace {

std::optional<digest> digest_of(std::string_view hex) {
  digest made;
  if (hex.size() != 2 * made.size()) return std::nullopt;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto* const at = hex.data() + 2 * i;
    const auto [end, wrong] = std::from_chars(at, at + 2, made[i], 16);
    if (wrong != std::errc() || end != at + 2) return std::nullopt;
  }
  return made;
}

}  // namespace

source::source(const std::filesystem::path& list) {
  csv_reader lines(list);
  while (lines.next()) {
    const auto hash = digest_of(lines.field());
    if (!hash) lines.fail("not 64 hexadecimal digits");
    lines.end();
    hashes_.push_back(*hash);
  }
}

std::optional<wanted> source::operator()() {
  if (next_ == hashes_.size()) return std::nullopt;
  const auto& hash = hashes_[next_++];
  return wanted{static_cast<std::uint32_t>(next_), hash, std::nullopt};
}

}  // namespace apps::hash_search
