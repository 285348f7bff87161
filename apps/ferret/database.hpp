#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/ferret/signature.hpp"

namespace apps::ferret {

/// The collection that is searched: names and signatures of its pictures. Threads may read it at once.
class database {
 public:
  /// \throws error  naming the file, if it is none, is cut off or damaged
  static database load(const std::filesystem::path& file);
  /// \throws error  if it cannot be written
  void save(const std::filesystem::path& file) const;

  /// `name`: up to 65535 bytes without tabs, colons and ends of lines.
  void add(std::string_view name, const signature& added);

  /// How many pictures there are.
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(starts_.size() - 1); }
  [[nodiscard]] std::string_view name(std::uint32_t picture) const {
    return std::string_view(names_).substr(name_starts_[picture],
                                           name_starts_[picture + 1] - name_starts_[picture]);
  }
  [[nodiscard]] signature_view operator[](std::uint32_t picture) const {
    const auto start = starts_[picture], count = starts_[picture + 1] - start;
    return {std::span(regions_).subspan(start, count), std::span(weights_).subspan(start, count)};
  }

  /// The regions of all pictures, one behind the other.
  [[nodiscard]] std::span<const features> regions() const { return regions_; }
  /// Which picture each of them is of.
  [[nodiscard]] std::span<const std::uint32_t> pictures() const { return pictures_; }

 private:
  std::vector<std::uint32_t> starts_{0};
  std::vector<features> regions_;
  std::vector<std::uint16_t> weights_;
  std::vector<std::uint32_t> pictures_;
  std::string names_;
  std::vector<std::uint32_t> name_starts_{0};
};

}  // namespace apps::ferret
