#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include <mpi.h>

#include "bench/support/farm_order.hpp"
#include "bench/support/in_order.hpp"
#include "bench/support/mpi_letter.hpp"

// What programs by MPI's own functions have in common: who gives items to others, and who has source and
// sink.

inline constexpr int mpi_item = 0;  ///< a message with an item; without one: the end
inline constexpr int mpi_room =
    1;  ///< says that the receiver has begun with an item, and has room for another

/// Where items go on: to any of some ranks. Each has two at a time, so that the next one is there when it is
/// done with one, and gets another when it has room: on demand.
template <class Item> class mpi_outlet {
 public:
  mpi_outlet(int first, int count) : first_(first), places_(static_cast<std::size_t>(count)) {
    for (int i = 0; i < 2 * count; ++i) room_.push_back(first + i % count);
  }
  [[nodiscard]] bool has_room() const { return !room_.empty(); }
  [[nodiscard]] bool all_have_room() const { return room_.size() == 2 * places_.size(); }
  void room_at(int rank) { room_.push_back(rank); }
  /// Gives an item to who has had room for longest.
  void send(Item item) {
    const int rank = room_.front();
    room_.pop_front();
    places_[static_cast<std::size_t>(rank - first_)].send(std::move(item), rank, mpi_item);
  }
  /// Says that nothing more comes.
  void end() {
    for (std::size_t i = 0; i < places_.size(); ++i)
      MPI_Send(nullptr, 0, MPI_BYTE, first_ + static_cast<int>(i), mpi_item, MPI_COMM_WORLD);
  }

 private:
  int first_;
  std::vector<mpi_two_sending<Item>> places_;
  std::deque<int> room_;
};

/// What comes back, to the sink.
template <class Item, class Sink> class mpi_returned {
 public:
  explicit mpi_returned(farm_order order) : order_(order) {}
  void take(Item item) {
    if (order_ == farm_order::any) {
      ++count_;
      return Sink::op(item);
    }
    early_.put(std::make_unique<Item>(std::move(item)));
    for (; const auto due = early_.next(); ++count_) Sink::op(*due);
  }
  /// Those that the sink has got.
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  farm_order order_;
  in_order<Item> early_;
  std::uint64_t count_ = 0;
};

/// The rank with source and sink: gives items to `workers` ranks from 1 on, and takes what comes back from
/// those or from others. What others have overtaken waits: `most` items are under way.
/// `come_back`: whether who has had an item gives it back, which says that there is room again.
template <class Item, class Source, class Sink>
void mpi_source_and_sink(farm_order order, int workers, std::uint64_t most, bool come_back) {
  mpi_outlet<Item> out(1, workers);
  mpi_returned<Item, Sink> back(order);
  std::uint64_t given = 0;
  while (true) {
    for (Item item; out.has_room() && given - back.count() < most && Source::op(item); ++given)
      out.send(std::move(item));
    if (given == back.count() && out.all_have_room()) break;
    Item done;
    const auto status = mpi_receive(done, MPI_ANY_SOURCE, MPI_ANY_TAG);
    if (come_back || status.MPI_TAG == mpi_room) out.room_at(status.MPI_SOURCE);
    if (status.MPI_TAG == mpi_item) back.take(std::move(done));
  }
  out.end();
}

template <class Item, class Source, class Sink, class Work> void mpi_alone(Work work) {
  for (Item item; Source::op(item);) {
    work(item);
    Sink::op(item);
  }
}

inline int mpi_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
inline int mpi_ranks() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}
