// A batch as bytes: its rows, and of each column its field, then which rows are null, then what lies in
// memory.
#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "layout.hpp"
#include "metadata.hpp"

namespace THALWEG_NAMESPACE {
namespace {

using model::arrow_kind;

// The rows of a column that belong to the batch.
struct column_part {
  const ArrowArray& array;
  model::arrow_layout how;
  std::size_t first, n;

  [[nodiscard]] const std::byte* buffer(std::size_t i) const noexcept {
    return static_cast<const std::byte*>(array.buffers[i]);
  }
};

std::string_view or_empty(const char* text) {
  return text == nullptr ? "" : text;
}

std::string named(const ArrowSchema& schema) {
  return "column \"" + std::string(or_empty(schema.name)) + "\" of format \"" +
         std::string(or_empty(schema.format)) + "\"";
}

[[noreturn]] void malformed(const ArrowSchema& schema, const std::string& why) {
  throw codec_error("an arrow_batch is not as Arrow defines it: " + named(schema) + " has " + why);
}

model::arrow_layout layout(const ArrowSchema& schema) {
  if (schema.dictionary != nullptr)
    throw codec_error("an arrow_batch cannot travel: " + named(schema) +
                      " has a dictionary: decode it first");
  const auto how = model::layout_of(or_empty(schema.format));
  if (!how)
    throw codec_error(
        "an arrow_batch cannot travel: " + named(schema) +
        " is nested, a view, run-end encoded or unknown: only columns of numbers, bools, times, "
        "decimals, text and bytes travel");
  return *how;
}

column_part part_of(const ArrowSchema& schema, const ArrowArray& column, const ArrowArray& batch) {
  const auto how = layout(schema);
  if (how.kind != arrow_kind::nothing && column.n_buffers != how.buffers())
    malformed(schema, std::to_string(column.n_buffers) + " buffers, not " + std::to_string(how.buffers()));
  if (column.length < batch.offset + batch.length)
    malformed(schema,
              std::to_string(column.length) + " rows, not " + std::to_string(batch.offset + batch.length));
  const column_part its{column, how, static_cast<std::size_t>(column.offset + batch.offset),
                        static_cast<std::size_t>(batch.length)};
  // Arrow lets a buffer without bytes be null, as that of values without a width.
  const bool has_bytes = its.n > 0 && (how.kind == arrow_kind::bits || how.width > 0);
  if (has_bytes && its.buffer(1) == nullptr) malformed(schema, "no buffer 1");
  return its;
}

// Those of an array may be unknown, or those of more rows.
std::size_t nulls_among(const ArrowArray& array, std::size_t first, std::size_t n) {
  if (array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr) return 0;
  return model::count_unset(array.buffers[0], first, n);
}

// `fill(to, i)` makes element `i`, of `width` bytes.
template <class Fill> void write_each(byte_writer& to, std::size_t n, std::size_t width, const Fill& fill) {
  std::array<std::byte, 1024> piece;
  const auto most = piece.size() / width;
  for (std::size_t done = 0; done < n;) {
    std::size_t k = 0;
    for (; k < most && done < n; ++k, ++done) fill(piece.data() + k * width, done);
    to.bytes(piece.data(), k * width);
  }
}

// From a bit that need not be the first of its byte. Bits behind the last one are 0.
void write_bits(byte_writer& to, const std::byte* bits, std::size_t first, std::size_t n) {
  const auto shift = first % 8;
  const auto* from = bits + first / 8;
  const auto last = model::bytes_of_bits(shift + n);
  const auto bytes = model::bytes_of_bits(n);
  write_each(to, bytes, 1, [&](std::byte* one, std::size_t i) {
    *one = from[i] >> shift;
    if (shift > 0 && i + 1 < last) *one |= from[i + 1] << (8 - shift);
    if (i + 1 == bytes && n % 8 != 0) *one &= std::byte((1U << n % 8) - 1);
  });
}

// So that they begin at 0.
void write_offsets(byte_writer& to, const column_part& its, std::int64_t base) {
  const auto width = its.how.width;
  if (its.n == 0) {  // there may be none
    write_each(to, 1, width, [&](std::byte* one, std::size_t) { std::memset(one, 0, width); });
  } else if (base == 0) {
    to.bytes(its.buffer(1) + its.first * width, (its.n + 1) * width);
  } else {
    write_each(to, its.n + 1, width, [&](std::byte* one, std::size_t i) {
      const auto offset = model::offset_at(its.how, its.buffer(1), its.first + i) - base;
      const auto narrow = static_cast<std::int32_t>(offset);
      if (its.how.kind == arrow_kind::text)
        std::memcpy(one, &narrow, sizeof narrow);
      else
        std::memcpy(one, &offset, sizeof offset);
    });
  }
}

void write_text(byte_writer& to, const column_part& its, const ArrowSchema& schema) {
  const auto at = [&](std::size_t i) {
    return its.n == 0 ? 0 : model::offset_at(its.how, its.buffer(1), its.first + i);
  };
  const auto base = at(0), end = at(its.n);
  if (base < 0 || end < base || (end > base && its.buffer(2) == nullptr))
    malformed(schema, "offsets from " + std::to_string(base) + " to " + std::to_string(end));
  write_offsets(to, its, base);
  if (end > base) to.block(its.buffer(2) + base, static_cast<std::size_t>(end - base));
}

void write_bytes(byte_writer& to, std::string_view text) {
  to.count(text.size());
  to.bytes(text.data(), text.size());
}

void write_field(byte_writer& to, const ArrowSchema& schema) {
  write_bytes(to, or_empty(schema.name));
  write_bytes(to, model::metadata_at(schema.metadata));
  to((schema.flags & ARROW_FLAG_NULLABLE) != 0);
}

void write_column(byte_writer& to, const ArrowSchema& schema, const column_part& its) {
  write_bytes(to, schema.format);
  write_field(to, schema);
  if (its.how.kind == arrow_kind::nothing) return;
  if (its.array.null_count > 0 && its.buffer(0) == nullptr)
    malformed(schema, "nulls, but does not say where");
  const bool nulls = nulls_among(its.array, its.first, its.n) > 0;
  to(nulls);
  if (nulls) write_bits(to, its.buffer(0), its.first, its.n);
  if (its.how.has_offsets()) {
    write_text(to, its, schema);
  } else if (its.how.kind == arrow_kind::bits) {
    write_bits(to, its.buffer(1), its.first, its.n);
  } else if (its.n > 0) {
    to.block(its.buffer(1) + its.first * its.how.width, its.n * its.how.width);
  }
}

}  // namespace

void codec<arrow_batch>::write(byte_writer& to, const arrow_batch& x) {
  to(static_cast<bool>(x));
  if (!x) return;
  const auto& batch = x.array();
  if (nulls_among(batch, static_cast<std::size_t>(batch.offset), static_cast<std::size_t>(batch.length)) > 0)
    throw codec_error("an arrow_batch cannot travel: a row of it is null as a whole, not in its columns");
  to(static_cast<std::uint64_t>(batch.length));
  write_field(to, x.schema());
  to.count(static_cast<std::size_t>(batch.n_children));
  for (std::int64_t i = 0; i < batch.n_children; ++i) {
    const auto& schema = *x.schema().children[i];
    write_column(to, schema, part_of(schema, *batch.children[i], batch));
  }
}

}  // namespace THALWEG_NAMESPACE
