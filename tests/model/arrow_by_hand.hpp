// Record batches as a producer exports them by the Arrow C data interface, made without the library's own
// code; and what is in a batch, read without it.
#pragma once

#include <thalweg/model/arrow.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arrow_by_hand {

/// How many structs have been made and not been released yet.
inline int held = 0;

/// A value as its bytes; of a bool one byte, 0 or 1. None: null.
using value = std::optional<std::string>;

struct column {
  std::string format;
  std::string name;
  std::vector<value> values{};
  std::size_t skipped = 0;    // so many of the values lie before the array's offset
  bool bits = false;          // also where no value is null
  bool count_nulls = true;    // or leave the number unknown
  std::string metadata = {};  // as Arrow encodes it
};

struct table {
  std::vector<column> columns{};
  std::size_t rows = 0;
  std::size_t skipped = 0;  // rows before the offset of the batch, in each column behind its own
  std::string metadata = {};
};

inline bool is_text(std::string_view format) {
  return format == "u" || format == "z" || format == "U" || format == "Z";
}

namespace detail {

struct array_memory {
  std::vector<std::vector<char>> all;
  std::vector<const void*> buffers;
  std::vector<std::unique_ptr<ArrowArray>> children;
  std::vector<ArrowArray*> pointers;
};
struct schema_memory {
  std::string format, name, metadata;
  std::vector<std::unique_ptr<ArrowSchema>> children;
  std::vector<ArrowSchema*> pointers;
};

template <class Memory, class Struct> void release(Struct* x) {
  auto* memory = static_cast<Memory*>(x->private_data);
  for (auto* child : memory->pointers)
    if (child->release != nullptr) child->release(child);
  delete memory;
  x->release = nullptr;
  --held;
}

template <class Memory, class Struct> Struct finish(std::unique_ptr<Memory> memory, Struct x) {
  for (auto& child : memory->children) memory->pointers.push_back(child.get());
  x.n_children = static_cast<std::int64_t>(memory->pointers.size());
  x.children = memory->pointers.data();
  x.release = release<Memory, Struct>;
  x.private_data = memory.release();
  ++held;
  return x;
}

inline std::vector<char> bits_of(const std::vector<value>& values, bool (*set)(const value&)) {
  std::vector<char> bits(values.size() / 8 + 1, '\xA5');  // also behind the last one
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto bit = static_cast<char>(1 << i % 8);
    bits[i / 8] = static_cast<char>(set(values[i]) ? bits[i / 8] | bit : bits[i / 8] & ~bit);
  }
  return bits;
}

template <class Offset> void add_text(array_memory& to, const std::vector<value>& values) {
  std::vector<Offset> offsets{0};
  std::vector<char> text;
  for (const auto& x : values) {
    // What is null may have bytes all the same.
    const auto part = x.value_or("null");
    text.insert(text.end(), part.begin(), part.end());
    offsets.push_back(static_cast<Offset>(text.size()));
  }
  const auto* first = reinterpret_cast<const char*>(offsets.data());
  to.all.emplace_back(first, first + offsets.size() * sizeof(Offset));
  to.all.push_back(std::move(text));
}

inline ArrowArray array_of(const column& of, std::size_t length) {
  auto memory = std::make_unique<array_memory>();
  ArrowArray x{};
  bool nulls = of.bits;
  for (std::size_t i = 0; i < of.values.size(); ++i) {
    nulls = nulls || !of.values[i];
    if (!of.values[i] && i >= of.skipped) ++x.null_count;
  }
  if (!of.count_nulls) x.null_count = -1;
  if (of.format != "n") {
    memory->all.push_back(bits_of(of.values, [](const value& v) { return v.has_value(); }));
    if (of.format == "b") {
      memory->all.push_back(bits_of(of.values, [](const value& v) { return v == std::string(1, '\1'); }));
    } else if (of.format == "u" || of.format == "z") {
      add_text<std::int32_t>(*memory, of.values);
    } else if (of.format == "U" || of.format == "Z") {
      add_text<std::int64_t>(*memory, of.values);
    } else {
      std::size_t width = 1;
      for (const auto& v : of.values)
        if (v) width = v->size();
      std::vector<char> values;
      for (const auto& v : of.values) {
        const auto part = v.value_or(std::string(width, '?'));
        values.insert(values.end(), part.begin(), part.end());
      }
      memory->all.push_back(std::move(values));
    }
    for (const auto& buffer : memory->all)
      memory->buffers.push_back(buffer.empty() ? nullptr : buffer.data());
    if (!nulls) memory->buffers[0] = nullptr;
  }
  x.length = static_cast<std::int64_t>(length);
  x.offset = static_cast<std::int64_t>(of.skipped);
  x.n_buffers = static_cast<std::int64_t>(memory->buffers.size());
  x.buffers = memory->buffers.data();
  return finish(std::move(memory), x);
}

inline ArrowSchema schema_of(const std::string& format, const std::string& name, const std::string& metadata,
                             std::unique_ptr<schema_memory> memory = std::make_unique<schema_memory>()) {
  memory->format = format;
  memory->name = name;
  memory->metadata = metadata;
  ArrowSchema x{};
  x.format = memory->format.c_str();
  x.name = memory->name.c_str();
  x.metadata = metadata.empty() ? nullptr : memory->metadata.data();
  x.flags = ARROW_FLAG_NULLABLE;
  return finish(std::move(memory), x);
}

inline value value_at(const ArrowSchema& schema, const ArrowArray& array, std::size_t i, std::size_t width) {
  const std::string_view format = schema.format;
  if (format == "n") return {};
  const auto bit = [&](std::size_t buffer) {
    return (static_cast<const unsigned char*>(array.buffers[buffer])[i / 8] >> i % 8 & 1) != 0;
  };
  if (array.buffers[0] != nullptr && !bit(0)) return {};
  if (format == "b") return std::string(1, bit(1) ? '\1' : '\0');
  const auto text = [&]<class Offset>(const Offset* offsets) {
    return std::string(static_cast<const char*>(array.buffers[2]) + offsets[i],
                       static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
  };
  if (format == "u" || format == "z") return text(static_cast<const std::int32_t*>(array.buffers[1]));
  if (format == "U" || format == "Z") return text(static_cast<const std::int64_t*>(array.buffers[1]));
  return std::string(static_cast<const char*>(array.buffers[1]) + i * width, width);
}

}  // namespace detail

struct exported {
  ArrowArray array;
  ArrowSchema schema;
};

inline exported export_by_hand(const table& of) {
  auto arrays = std::make_unique<detail::array_memory>();
  auto schemas = std::make_unique<detail::schema_memory>();
  for (const auto& one : of.columns) {
    arrays->children.push_back(
        std::make_unique<ArrowArray>(detail::array_of(one, one.values.size() - one.skipped)));
    schemas->children.push_back(
        std::make_unique<ArrowSchema>(detail::schema_of(one.format, one.name, one.metadata)));
  }
  arrays->buffers.push_back(nullptr);
  ArrowArray array{};
  array.length = static_cast<std::int64_t>(of.rows);
  array.offset = static_cast<std::int64_t>(of.skipped);
  array.n_buffers = 1;
  array.buffers = arrays->buffers.data();
  return {detail::finish(std::move(arrays), array),
          detail::schema_of("+s", "", of.metadata, std::move(schemas))};
}

inline thalweg::arrow_batch batch_of(const table& of) {
  auto [array, schema] = export_by_hand(of);
  return thalweg::arrow_batch(&array, &schema);
}

/// The values of a column that belong to the batch. `width`: of a value, where all have the same.
inline std::vector<value> values_of(const thalweg::arrow_batch& batch, std::size_t column,
                                    std::size_t width) {
  const auto& array = *batch.array().children[column];
  std::vector<value> all;
  for (std::size_t i = 0; i < static_cast<std::size_t>(batch.rows()); ++i) {
    const auto at = static_cast<std::size_t>(array.offset + batch.array().offset) + i;
    all.push_back(detail::value_at(*batch.schema().children[column], array, at, width));
  }
  return all;
}

}  // namespace arrow_by_hand
