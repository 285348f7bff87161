// Keeps the memory of items for those that follow.
#pragma once

#include <thalweg/version.hpp>

#include <cstddef>

namespace THALWEG_NAMESPACE::run_detail::distributed {

/// Large items that come from other ranks are new ones: each takes memory, and gives it back when it has been
/// used. glibc returns what is free at the end of the heap to the system as soon as there is some more than
/// it has once mapped for a single item, and the system clears all of it before it can be used again: that
/// takes longer than the round trip. This lets each of glibc's arenas keep so many free bytes, and take items
/// of up to 32 MiB from there. It holds for the process from then on. 0, or settings of glibc's own in the
/// environment (`MALLOC_TRIM_THRESHOLD_`, `MALLOC_MMAP_THRESHOLD_`, `GLIBC_TUNABLES`): all stays as it is.
void tune_malloc(std::size_t most);

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
