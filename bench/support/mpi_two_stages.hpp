#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include <mpi.h>

#include "bench/support/mpi_farm.hpp"
#include "bench/support/mpi_outlet.hpp"

// Two stages between source and sink by MPI's own functions, each a rank or several: rank 0 has source and
// sink, then come those of the first stage and those of the second. Who has worked on an item gives it to one
// of the second stage that has room for it, without going by rank 0.

inline void mpi_tell_room(int rank) {
  MPI_Send(nullptr, 0, MPI_BYTE, rank, mpi_room, MPI_COMM_WORLD);
}

/// A rank of the first stage.
template <class Item, class Work> void mpi_first_stage(int next, int count, Work work) {
  mpi_outlet<Item> out(next, count);
  const auto await_room = [&] {
    MPI_Status status;
    MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, mpi_room, MPI_COMM_WORLD, &status);
    out.room_at(status.MPI_SOURCE);
  };
  for (Item item;;) {
    mpi_receive(item, 0, mpi_item);
    if (item.empty()) break;
    mpi_tell_room(0);
    work(item);
    while (!out.has_room()) await_room();
    out.send(std::move(item));
  }
  out.end();
  while (!out.all_have_room()) await_room();
}

/// A rank of the second stage, behind so many of the first.
template <class Item, class Work> void mpi_second_stage(int before, Work work) {
  mpi_two_sending<Item> back;
  for (Item item; before > 0;) {
    const auto status = mpi_receive(item, MPI_ANY_SOURCE, mpi_item);
    if (item.empty()) {
      --before;
      continue;
    }
    mpi_tell_room(status.MPI_SOURCE);
    work(item);
    back.send(std::move(item), 0, mpi_item);
  }
  back.wait();
}

/// How many ranks each stage has.
struct mpi_widths {
  int first = 1, second = 1;
};
inline mpi_widths mpi_farm_and_stage() {
  return {std::max(1, mpi_ranks() - 2), 1};
}
inline mpi_widths mpi_stage_and_farm() {
  return {1, std::max(1, mpi_ranks() - 2)};
}
/// All but the first rank, divided up by what a stage costs: as that of `first` is to that of `second`.
inline mpi_widths mpi_two_farms(int first, int second) {
  const int workers = std::max(2, mpi_ranks() - 1);
  const int of_second =
      std::clamp((workers * second + (first + second) / 2) / (first + second), 1, workers - 1);
  return {workers - of_second, of_second};
}

/// With a single rank beside that of source and sink, it has both stages.
template <class Item, class Source, class Sink, class First, class Second>
void mpi_two_stages(farm_order order, mpi_widths widths, First first, Second second) {
  const int rank = mpi_rank();
  if (mpi_ranks() < 3) {
    mpi_farm<Item, Source, Sink>(order, [&](Item& item) {
      first(item);
      second(item);
    });
  } else if (rank == 0) {
    const auto most = 16 * static_cast<std::uint64_t>(widths.first + widths.second);
    mpi_source_and_sink<Item, Source, Sink>(order, widths.first, most, false);
  } else if (rank <= widths.first) {
    mpi_first_stage<Item>(1 + widths.first, widths.second, first);
  } else if (rank <= widths.first + widths.second) {
    mpi_second_stage<Item>(widths.first, second);
  }
}
