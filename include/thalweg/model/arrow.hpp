/// Items that are batches of Arrow's columns, from and for pyarrow, DuckDB, Polars and others. Not part of
/// <thalweg/thalweg.hpp>; needs no library of Arrow.
#pragma once

#include <thalweg/model/arrow_c_data.hpp>
#include <thalweg/model/codec.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace THALWEG_NAMESPACE {

namespace model {

/// Owns a struct of Arrow's C interfaces, and releases it once.
template <class Struct> class arrow_owner {
 public:
  arrow_owner() = default;
  /// Takes what `from` holds, which is marked as released.
  explicit arrow_owner(Struct& from) noexcept : held_(from) { from.release = nullptr; }
  arrow_owner(arrow_owner&& other) noexcept : held_(other.give()) {}
  arrow_owner& operator=(arrow_owner&& other) noexcept {
    if (this == &other) return *this;
    reset();
    held_ = other.give();
    return *this;
  }
  ~arrow_owner() { reset(); }

  [[nodiscard]] bool holds() const noexcept { return held_.release != nullptr; }
  [[nodiscard]] const Struct& get() const noexcept { return held_; }
  [[nodiscard]] Struct& get() noexcept { return held_; }
  Struct give() noexcept { return std::exchange(held_, Struct{}); }
  void reset() noexcept {
    if (holds()) held_.release(&held_);
    held_ = Struct{};
  }

 private:
  Struct held_{};
};

}  // namespace model

/// Rows of a table, column by column: what Arrow calls a record batch. It owns what a producer has exported
/// by the Arrow C data interface, and releases it once. Nothing is copied. It can be moved, not copied: where
/// several have to see one, make it a `std::shared_ptr`. One thread at a time may change it; any number may
/// read.
///
/// ```c++
/// #include <thalweg/model/arrow.hpp>
///
/// ArrowArray array;    // as pyarrow fills them: batch._export_to_c(address of array, address of schema)
/// ArrowSchema schema;
/// tw::arrow_batch batch(&array, &schema);
/// ...
/// std::move(batch).give(&array, &schema);  // pyarrow.RecordBatch._import_from_c(the same two addresses)
/// ```
///
/// It travels between ranks, over TCP and through Kafka, if its columns are numbers, bools, dates, times,
/// timestamps, durations, intervals, decimals, text or bytes (also large, and of fixed width), or of type
/// null, with or without nulls. Names, types, and metadata of columns and table come with it. Only the
/// batch's own rows are sent, also where it is a part of a longer one. Values, and what texts hold, are sent
/// from where they lie, as blocks; bits and offsets are copied. What comes begins at offset 0, in memory of
/// its own, at multiples of 64 bytes, and outlives whatever else a consumer keeps of it.
///
/// Nested types, dictionaries and views do not travel: a `codec_error` names the column and its format. What
/// comes is checked, so that no offset points outside of a column; whether text is UTF-8 is not checked.
class arrow_batch {
 public:
  /// None at all, not even an empty one.
  arrow_batch() = default;
  /// Takes both, and marks them as released where they were, also if it throws.
  /// \throws error  if one of them is released already, or if they are not those of a record batch
  arrow_batch(ArrowArray* array, ArrowSchema* schema);

  /// Whether there is a batch.
  explicit operator bool() const noexcept { return array_.holds(); }
  /// 0 if there is none.
  [[nodiscard]] std::int64_t rows() const noexcept { return array().length; }
  [[nodiscard]] std::int64_t columns() const noexcept { return array().n_children; }
  /// A struct (format `+s`) whose children are the columns; row `i` of the batch is element `offset + i` of
  /// each, counted from the column's own offset. Released (`release` is null) if there is none.
  [[nodiscard]] const ArrowArray& array() const noexcept { return array_.get(); }
  [[nodiscard]] const ArrowSchema& schema() const noexcept { return schema_.get(); }

  /// Hands both over to a consumer, who has to release them. There is no batch left. What the structs held
  /// before is overwritten.
  void give(ArrowArray* array, ArrowSchema* schema) && noexcept {
    *array = array_.give();
    *schema = schema_.give();
  }

  /// The bytes of its rows, for the bounds on what is in flight. Columns that cannot travel count as nothing.
  [[nodiscard]] std::size_t size_of() const noexcept;

 private:
  model::arrow_owner<ArrowArray> array_;
  model::arrow_owner<ArrowSchema> schema_;
};

/// See `arrow_batch`.
template <> struct codec<arrow_batch> {
  static std::string tag() { return "Arrow batch"; }
  /// \throws codec_error  if a column's type cannot travel, or a column is not as its type demands
  static void write(byte_writer& to, const arrow_batch& x);
  /// \throws codec_error  if what has come is no batch
  static void read(byte_reader& from, arrow_batch& x);
};

}  // namespace THALWEG_NAMESPACE
