#pragma once

#include <memory>
#include <variant>

#include "spb/detail/bzip2_block.hpp"

/// What travels of a block of either kind, by a letter as in mpi_letter.hpp.
template <class Letter> void travel(Letter& by, std::shared_ptr<spb::detail::bzip2_block>& pointer) {
  using apps::bzip2::block;
  using apps::bzip2::packed_block;
  if (!pointer)
    pointer = std::make_shared<spb::detail::bzip2_block>();  // to be read, or an operator has failed
  auto& one = pointer->one;
  auto is_packed = one.index() != 0;
  by.value(is_packed);
  if (by.reads() && is_packed) one.template emplace<packed_block>();
  if (auto* const text = std::get_if<block>(&one)) {
    by.value(text->number);
    by.block(text->data);
    return;
  }
  auto& packed = std::get<packed_block>(one);
  by.value(packed.number);
  by.value(packed.bit);
  by.value(packed.bits);
  by.value(packed.opens_stream);
  by.value(packed.stream_sum);
  by.value(packed.damaged);
  by.value(packed.follows);
  by.block(packed.packed);
  by.block(packed.text);
}
