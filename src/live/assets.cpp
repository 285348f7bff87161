#include "assets.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace THALWEG_NAMESPACE::live {

std::optional<asset> asset_at(std::string_view path) {
  const auto all = all_assets();
  const auto at = std::ranges::find(all, path, &asset::path);
  return at == all.end() ? std::nullopt : std::optional(*at);
}

std::string_view kind_of(std::string_view path) {
  using known = std::pair<std::string_view, std::string_view>;
  static constexpr auto kinds = std::to_array<known>({{".html", "text/html; charset=utf-8"},
                                                      {".css", "text/css; charset=utf-8"},
                                                      {".js", "text/javascript; charset=utf-8"},
                                                      {".mjs", "text/javascript; charset=utf-8"},
                                                      {".json", "application/json"},
                                                      {".svg", "image/svg+xml"},
                                                      {".png", "image/png"},
                                                      {".ico", "image/x-icon"},
                                                      {".woff2", "font/woff2"},
                                                      {".txt", "text/plain; charset=utf-8"}});
  for (const auto& [ending, kind] : kinds) {
    if (path.ends_with(ending)) return kind;
  }
  return "application/octet-stream";
}

}  // namespace THALWEG_NAMESPACE::live
