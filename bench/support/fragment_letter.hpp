#pragma once

#include <cstdint>
#include <memory>

#include <dedup.hpp>

#include "apps/dedup/fragment.hpp"
#include "bench/support/mpi_letter.hpp"

/// A fragment with its bytes, which `Compress` gives up, and its chunks, which have a few thousand bytes
/// each.
inline void travel(mpi_letter& by, std::shared_ptr<apps::dedup::fragment>& one) {
  if (!one) one = std::make_shared<apps::dedup::fragment>();
  auto chunks = static_cast<std::uint64_t>(one->chunks.size());
  by.value(one->number);
  by.value(chunks);
  by.block(one->data);
  if (by.reads()) one->chunks.resize(chunks);
  for (auto& chunk : one->chunks) {
    by.value(chunk.size);
    by.value(chunk.hash);
    by.value(chunk.repeats);
    by.text(chunk.packed);
  }
}
