#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <mpi.h>

#include "bench/support/mpi_farm.hpp"
#include "bench/support/mpi_outlet.hpp"

// Several stages between source and sink by MPI's own functions, each a rank or several: rank 0 has source
// and sink, then come those of the first stage, those of the second, and so on. Who has worked on an item
// gives it to one of the next stage that has room for it, without going by rank 0.

inline void mpi_tell_room(int rank) {
  MPI_Send(nullptr, 0, MPI_BYTE, rank, mpi_room, MPI_COMM_WORLD);
}

/// A rank of a stage behind `before` ranks, with others behind it: `count` from `next` on.
template <class Item> void mpi_middle_stage(int before, int next, int count, void (*work)(Item&)) {
  mpi_outlet<Item> out(next, count);
  const auto await_room = [&] {
    MPI_Status status;
    MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, mpi_room, MPI_COMM_WORLD, &status);
    out.room_at(status.MPI_SOURCE);
  };
  for (Item item; before > 0;) {
    const auto status = mpi_receive(item, MPI_ANY_SOURCE, mpi_item);
    if (item.empty()) {
      --before;
      continue;
    }
    mpi_tell_room(status.MPI_SOURCE);
    work(item);
    while (!out.has_room()) await_room();
    out.send(std::move(item));
  }
  out.end();
  while (!out.all_have_room()) await_room();
}

/// A rank of the last stage.
template <class Item> void mpi_last_stage(int before, void (*work)(Item&)) {
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
using mpi_widths = std::vector<int>;

inline mpi_widths mpi_farm_and_stage() {
  return {std::max(1, mpi_ranks() - 2), 1};
}
inline mpi_widths mpi_stage_and_farm() {
  return {1, std::max(1, mpi_ranks() - 2)};
}
/// All but the first rank, divided up by what the stages cost: one after the other to that which would be
/// slowest without it.
inline mpi_widths mpi_farms(const std::vector<double>& costs) {
  mpi_widths widths(costs.size(), 1);
  for (auto left = mpi_ranks() - 1 - static_cast<int>(costs.size()); left > 0; --left) {
    std::size_t slowest = 0;
    for (std::size_t i = 1; i < costs.size(); ++i)
      if (costs[i] / widths[i] > costs[slowest] / widths[slowest]) slowest = i;
    ++widths[slowest];
  }
  return widths;
}

/// Where there are fewer ranks than stages beside that of source and sink, each has all of them.
template <class Item, class Source, class Sink>
void mpi_stages(farm_order order, const mpi_widths& widths, const std::vector<void (*)(Item&)>& works) {
  const int rank = mpi_rank();
  if (mpi_ranks() <= static_cast<int>(works.size())) {
    mpi_farm<Item, Source, Sink>(order, [&](Item& item) {
      for (auto* const work : works) work(item);
    });
  } else if (rank == 0) {
    const auto most = 16 * static_cast<std::uint64_t>(std::reduce(widths.begin(), widths.end()));
    mpi_source_and_sink<Item, Source, Sink>(order, widths.front(), most, false);
  } else {
    int before = 1, first = 1;
    for (std::size_t stage = 0; stage < works.size(); ++stage) {
      const int next = first + widths[stage];
      const bool is_last = stage + 1 == works.size();
      if (rank < next)
        return is_last ? mpi_last_stage<Item>(before, works[stage])
                       : mpi_middle_stage<Item>(before, next, widths[stage + 1], works[stage]);
      before = widths[stage];
      first = next;
    }
  }
}
