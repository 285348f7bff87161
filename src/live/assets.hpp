#pragma once

#include <thalweg/version.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace THALWEG_NAMESPACE::live {

/// A file of the page, which is part of the library.
struct asset {
  std::string_view path;  ///< as in `live.css`
  std::string_view bytes;
};

/// All of them. What cmake/live_assets.cmake writes.
[[nodiscard]] std::span<const asset> all_assets();

[[nodiscard]] std::optional<asset> asset_at(std::string_view path);
/// What HTTP calls its kind.
[[nodiscard]] std::string_view kind_of(std::string_view path);

}  // namespace THALWEG_NAMESPACE::live
