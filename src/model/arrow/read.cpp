// A batch from the bytes that write.cpp writes, which may be of others: all of it is checked.
#include <limits>
#include <string>
#include <utility>

#include "layout.hpp"
#include "made.hpp"
#include "metadata.hpp"

namespace THALWEG_NAMESPACE {
namespace {

using model::arrow_kind;

// Of the shortest column: the lengths of its format, name and metadata, one letter of format, one flag.
constexpr std::size_t least_column = 3 * sizeof(std::uint32_t) + 2;

std::string read_bytes(byte_reader& from) {
  const auto bytes = from.bytes(from.count(1));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool read_bool(byte_reader& from) {
  std::uint8_t x = 0;  // a bool of another value would be none
  from(x);
  return x != 0;
}

void read_field(byte_reader& from, model::made_schema& into) {
  into.name = read_bytes(from);
  into.metadata = read_bytes(from);
  if (!model::is_metadata(into.metadata))
    throw codec_error("the metadata of \"" + into.name + "\" in an arrow_batch is none");
  into.flags = read_bool(from) ? ARROW_FLAG_NULLABLE : 0;
}

// Reads one column: a schema and an array.
class column_reader {
 public:
  column_reader(byte_reader& from, std::size_t rows) : from_(from), rows_(rows) {}

  void read() {
    schema_.format = read_bytes(from_);
    read_field(from_, schema_);
    const auto how = model::layout_of(schema_.format);
    if (!how) fail("has a format that does not travel");
    if (how->kind == arrow_kind::nothing) {
      nulls_ = rows_;
      return;
    }
    array_.buffers.push_back(nullptr);
    if (read_bool(from_)) nulls_ = model::count_unset(array_.buffers[0] = bits(), 0, rows_);
    if (how->has_offsets()) {
      text(*how);
    } else if (how->kind == arrow_kind::bits) {
      array_.buffers.push_back(bits());
    } else {
      array_.buffers.push_back(values(rows_, how->width));
    }
  }

  [[nodiscard]] model::arrow_owner<ArrowArray> array() {
    return model::make_array(static_cast<std::int64_t>(rows_), static_cast<std::int64_t>(nulls_),
                             std::move(array_));
  }
  [[nodiscard]] model::arrow_owner<ArrowSchema> schema() { return model::make_schema(std::move(schema_)); }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw codec_error("column \"" + schema_.name + "\" of format \"" + schema_.format +
                      "\" of an arrow_batch " + why);
  }

  // Nothing is allocated that does not come.
  std::byte* memory(std::size_t n, std::size_t width) {
    if (width > 0 && n > from_.left() / width) fail("is cut off");
    return array_.memory.emplace_back(n * width).data();
  }
  std::byte* copied(std::size_t n, std::size_t width) {
    auto* at = memory(n, width);
    if (n > 0) std::memcpy(at, from_.bytes(n * width).data(), n * width);
    return at;
  }
  std::byte* bits() { return copied(model::bytes_of_bits(rows_), 1); }
  std::byte* values(std::size_t n, std::size_t width) {
    auto* at = memory(n, width);
    from_.block(at, n * width);
    return at;
  }

  void text(const model::arrow_layout& how) {
    const auto* offsets = copied(rows_ + 1, how.width);
    std::int64_t end = 0;
    if (model::offset_at(how, offsets, 0) != 0) fail("has offsets that do not begin at 0");
    for (std::size_t i = 1; i <= rows_; ++i) {
      const auto next = model::offset_at(how, offsets, i);
      if (next < end) fail("has offsets that go back");
      end = next;
    }
    array_.buffers.push_back(offsets);
    array_.buffers.push_back(values(static_cast<std::size_t>(end), 1));
  }

  byte_reader& from_;
  std::size_t rows_;
  std::size_t nulls_ = 0;
  model::made_schema schema_;
  model::made_array array_;
};

}  // namespace

void codec<arrow_batch>::read(byte_reader& from, arrow_batch& x) {
  x = {};
  if (!read_bool(from)) return;
  std::uint64_t rows = 0;
  from(rows);
  if (rows > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    throw codec_error("an arrow_batch cannot have " + std::to_string(rows) + " rows");
  model::made_array array{.buffers = {nullptr}};
  model::made_schema schema{.format = "+s"};
  read_field(from, schema);
  for (auto columns = from.count(least_column); columns > 0; --columns) {
    column_reader one(from, rows);
    one.read();
    array.children.push_back(one.array());
    schema.children.push_back(one.schema());
  }
  auto made_array = model::make_array(static_cast<std::int64_t>(rows), 0, std::move(array));
  auto made_schema = model::make_schema(std::move(schema));
  x = arrow_batch(&made_array.get(), &made_schema.get());
}

}  // namespace THALWEG_NAMESPACE
