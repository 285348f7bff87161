#include "metadata.hpp"

#include <cstdint>
#include <cstring>

namespace THALWEG_NAMESPACE::model {
namespace {

std::int32_t number_at(const char* at) noexcept {
  std::int32_t n = 0;
  std::memcpy(&n, at, sizeof n);
  return n;
}

}  // namespace

std::string_view metadata_at(const char* metadata) noexcept {
  if (metadata == nullptr) return {};
  const auto* end = metadata + sizeof(std::int32_t);
  for (auto texts = 2 * std::int64_t{number_at(metadata)}; texts > 0; --texts)
    end += sizeof(std::int32_t) + static_cast<std::size_t>(number_at(end));
  return {metadata, static_cast<std::size_t>(end - metadata)};
}

bool is_metadata(std::string_view bytes) noexcept {
  if (bytes.empty()) return true;
  const auto next = [&](std::int32_t& n) {
    if (bytes.size() < sizeof n) return false;
    n = number_at(bytes.data());
    bytes.remove_prefix(sizeof n);
    return n >= 0;
  };
  std::int32_t pairs = 0, length = 0;
  if (!next(pairs)) return false;
  for (auto texts = 2 * std::int64_t{pairs}; texts > 0; --texts) {
    if (!next(length) || static_cast<std::size_t>(length) > bytes.size()) return false;
    bytes.remove_prefix(static_cast<std::size_t>(length));
  }
  return bytes.empty();
}

}  // namespace THALWEG_NAMESPACE::model
