#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "apps/hash_search/wanted.hpp"

namespace apps::hash_search {

/// Gives the hashes of a list in their order: a file with one a line, of 64 hexadecimal digits. It is read
/// when the source is made. \throws error  naming the file, if it cannot be read, and the line, if it is no
/// hash
class source {
 public:
  explicit source(const std::filesystem::path& list);
  /// How many there are in all.
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(hashes_.size()); }
  /// The next hash; nothing behind the last.
  std::optional<wanted> operator()();

 private:
  std::vector<digest> hashes_;
  std::size_t next_ = 0;
};

}  // namespace apps::hash_search
