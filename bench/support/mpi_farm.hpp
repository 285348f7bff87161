#pragma once

#include <cstdint>
#include <utility>

#include <mpi.h>

#include "bench/support/mpi_outlet.hpp"

// A farm by MPI's own functions: rank 0 has source and sink, the others work.

/// A worker: an item is sent back while the next one is worked on.
template <class Item, class Work> void mpi_farm_worker(Work work) {
  mpi_two_sending<Item> back;
  for (Item item;;) {
    mpi_receive(item, 0, mpi_item);
    if (item.empty()) break;
    work(item);
    back.send(std::move(item), 0, mpi_item);
  }
  back.wait();
}

template <class Item, class Source, class Sink, class Work> void mpi_farm(farm_order order, Work work) {
  const int workers = mpi_ranks() - 1;
  if (workers == 0) {
    mpi_alone<Item, Source, Sink>(work);
  } else if (mpi_rank() == 0) {
    mpi_source_and_sink<Item, Source, Sink>(order, workers, 16 * static_cast<std::uint64_t>(workers), true);
  } else {
    mpi_farm_worker<Item>(work);
  }
}
