// What lies in memory for a column of Arrow, as far as it can travel.
#pragma once

#include <thalweg/model/arrow.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace THALWEG_NAMESPACE::model {

enum class arrow_kind : std::uint8_t {
  nothing,     // all null: no buffer
  bits,        // validity, and a bit for each row
  fixed,       // validity, and `width` bytes for each row
  text,        // validity, 32-bit offsets, and what lies between them
  large_text,  // the same with 64-bit offsets
};

struct arrow_layout {
  arrow_kind kind;
  std::size_t width = 0;  // bytes: of a value, or of an offset

  [[nodiscard]] bool has_offsets() const noexcept {
    return kind == arrow_kind::text || kind == arrow_kind::large_text;
  }
  [[nodiscard]] std::int64_t buffers() const noexcept {
    return kind == arrow_kind::nothing ? 0 : has_offsets() ? 3 : 2;
  }
};

/// None for a format that cannot travel, or that is none.
std::optional<arrow_layout> layout_of(std::string_view format) noexcept;

/// An offset of a column of text, which need not lie at a multiple of its size.
std::int64_t offset_at(const arrow_layout& how, const void* offsets, std::size_t i) noexcept;

/// How many bytes `n` bits take.
constexpr std::size_t bytes_of_bits(std::size_t n) noexcept {
  return n / 8 + (n % 8 != 0 ? 1 : 0);
}

/// How many of `n` bits are not set, from bit `first` on.
std::size_t count_unset(const void* bits, std::size_t first, std::size_t n) noexcept;

}  // namespace THALWEG_NAMESPACE::model
