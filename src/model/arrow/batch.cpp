#include "layout.hpp"

namespace THALWEG_NAMESPACE {

arrow_batch::arrow_batch(ArrowArray* array, ArrowSchema* schema) : array_(*array), schema_(*schema) {
  if (!array_.holds() || !schema_.holds())
    throw error("an arrow_batch is made of an array and a schema that are not released");
  if (std::string_view(this->schema().format) != "+s")
    throw error("an arrow_batch is made of a record batch, which has the format \"+s\", not \"" +
                std::string(this->schema().format) + "\"");
  if (this->array().n_children != this->schema().n_children)
    throw error("an arrow_batch has " + std::to_string(this->array().n_children) +
                " columns, but its schema has " + std::to_string(this->schema().n_children));
}

std::size_t arrow_batch::size_of() const noexcept {
  std::size_t sum = sizeof *this;
  for (std::int64_t i = 0; i < columns(); ++i) {
    const auto how = model::layout_of(schema().children[i]->format);
    const auto& column = *array().children[i];
    if (!how || column.n_buffers != how->buffers()) continue;
    const auto n = static_cast<std::size_t>(rows());
    if (how->kind == model::arrow_kind::bits) sum += model::bytes_of_bits(n);
    sum += n * how->width;
    if (how->kind != model::arrow_kind::nothing && column.buffers[0] != nullptr)
      sum += model::bytes_of_bits(n);
    // Without rows there may be a buffer, but no offset in it.
    if (n > 0 && how->has_offsets() && column.buffers[1] != nullptr) {
      const auto first = static_cast<std::size_t>(column.offset + array().offset);
      sum += static_cast<std::size_t>(model::offset_at(*how, column.buffers[1], first + n) -
                                      model::offset_at(*how, column.buffers[1], first));
    }
  }
  return sum;
}

}  // namespace THALWEG_NAMESPACE
