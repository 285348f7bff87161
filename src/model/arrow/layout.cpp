#include "layout.hpp"

#include <bit>
#include <charconv>
#include <cstring>
#include <system_error>

namespace THALWEG_NAMESPACE::model {
namespace {

// All of the text, or none.
std::optional<std::int32_t> number(std::string_view text) {
  std::int32_t n = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (problem != std::errc() || end != text.data() + text.size()) return {};
  return n;
}

std::optional<arrow_layout> fixed(std::size_t width) {
  return arrow_layout{arrow_kind::fixed, width};
}

// "d:precision,scale", and ",bits" unless they are 128.
std::optional<arrow_layout> decimal(std::string_view parameters) {
  const auto comma = parameters.find(',');
  if (comma == std::string_view::npos) return {};
  auto rest = parameters.substr(comma + 1);
  std::int32_t bits = 128;
  if (const auto second = rest.find(','); second != std::string_view::npos) {
    bits = number(rest.substr(second + 1)).value_or(0);
    rest = rest.substr(0, second);
  }
  if (!number(parameters.substr(0, comma)) || !number(rest)) return {};
  if (bits != 32 && bits != 64 && bits != 128 && bits != 256) return {};
  return fixed(static_cast<std::size_t>(bits) / 8);
}

std::optional<arrow_layout> of_letter(char letter) {
  switch (letter) {
    case 'n':
      return arrow_layout{arrow_kind::nothing};
    case 'b':
      return arrow_layout{arrow_kind::bits};
    case 'c':
    case 'C':
      return fixed(1);
    case 's':
    case 'S':
    case 'e':
      return fixed(2);
    case 'i':
    case 'I':
    case 'f':
      return fixed(4);
    case 'l':
    case 'L':
    case 'g':
      return fixed(8);
    case 'z':
    case 'u':
      return arrow_layout{arrow_kind::text, sizeof(std::int32_t)};
    case 'Z':
    case 'U':
      return arrow_layout{arrow_kind::large_text, sizeof(std::int64_t)};
    default:
      return {};
  }
}

std::optional<arrow_layout> of_time(std::string_view format) {
  for (const auto* four : {"tdD", "tts", "ttm", "tiM"})
    if (format == four) return fixed(4);
  for (const auto* eight : {"tdm", "ttu", "ttn", "tDs", "tDm", "tDu", "tDn", "tiD"})
    if (format == eight) return fixed(8);
  if (format == "tin") return fixed(16);
  for (const auto* stamp : {"tss:", "tsm:", "tsu:", "tsn:"})  // and a time zone
    if (format.starts_with(stamp)) return fixed(8);
  return {};
}

}  // namespace

std::optional<arrow_layout> layout_of(std::string_view format) noexcept {
  if (format.size() == 1) return of_letter(format[0]);
  if (format.starts_with("t")) return of_time(format);
  if (format.starts_with("d:")) return decimal(format.substr(2));
  if (format.starts_with("w:")) {
    const auto width = number(format.substr(2));
    if (width && *width >= 0) return fixed(static_cast<std::size_t>(*width));
  }
  return {};
}

std::int64_t offset_at(const arrow_layout& how, const void* offsets, std::size_t i) noexcept {
  const auto* at = static_cast<const std::byte*>(offsets) + i * how.width;
  if (how.kind == arrow_kind::large_text) {
    std::int64_t offset = 0;
    std::memcpy(&offset, at, sizeof offset);
    return offset;
  }
  std::int32_t offset = 0;
  std::memcpy(&offset, at, sizeof offset);
  return offset;
}

std::size_t count_unset(const void* bits, std::size_t first, std::size_t n) noexcept {
  const auto* bytes = static_cast<const std::uint8_t*>(bits);
  std::size_t set = 0;
  for (std::size_t i = first; i < first + n;) {
    const auto there = std::min<std::size_t>(8 - i % 8, first + n - i);  // in this byte
    const auto mask = ((1U << there) - 1) << i % 8;
    set += static_cast<std::size_t>(std::popcount(bytes[i / 8] & mask));
    i += there;
  }
  return n - set;
}

}  // namespace THALWEG_NAMESPACE::model
