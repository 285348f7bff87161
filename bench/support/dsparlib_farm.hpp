#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <type_traits>

#include <dspar/farm/farm.h>
#include <mpi.h>
#include <ranks.hpp>

#include "bench/support/farm_order.hpp"

// A farm of DSParLib: rank 0 has the source, rank 1 the sink, the others work. They are ranks of the
// launcher: those that DSParLib can start itself are often ended by SIGPIPE under Open MPI 4.1, once the work
// is done.

/// The messages in which an item travels, as `mpi_letter` has it: a program says what there is in an element.
///
///   void travel(dsparlib_letter& by, apps::mandelbrot::line& one) {
///     by.value(one.number);
///     by.block(one.pixels);
///   }
class dsparlib_letter {
 public:
  dsparlib_letter(dspar::MPISender& to, dspar::MessageHeader& message) : to_(&to), message_(&message) {}
  dsparlib_letter(dspar::MPIReceiver& from, dspar::MessageHeader& message)
      : from_(&from), message_(&message) {}

  [[nodiscard]] bool reads() const { return from_ != nullptr; }

  template <class T> void value(T& x) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes(reinterpret_cast<char*>(&x), sizeof x);
  }
  /// What has `data` and `size`, of chars, and is resized by who reads.
  template <class Bytes> void block(Bytes& all) {
    auto size = static_cast<std::uint64_t>(all.size());
    value(size);
    if (reads()) all.resize(size);
    bytes(all.data(), size);
  }

 private:
  void bytes(char* where, std::size_t size) {
    reads() ? from_->Receive(*message_, where, size) : to_->SendTo(*message_, where, size);
  }

  dspar::MPISender* to_ = nullptr;
  dspar::MPIReceiver* from_ = nullptr;
  dspar::MessageHeader* message_;
};

/// DSParLib copies what is emitted, so that is a pointer.
template <class Item> using dsparlib_item = std::shared_ptr<Item>;

/// How items travel: by `travel` for each of their elements.
template <class Item> class dsparlib_serializer : public dspar::SenderReceiver<dsparlib_item<Item>> {
 public:
  void Send(dspar::MPISender& to, dspar::MessageHeader& message, dsparlib_item<Item>& item) override {
    dsparlib_letter by(to, message);
    head first{item->timestamp, item->batch_index, item->size()};
    by.value(first);
    for (auto& one : *item) travel(by, one);
  }
  dsparlib_item<Item> Receive(dspar::MPIReceiver& from, dspar::MessageHeader& message) override {
    dsparlib_letter by(from, message);
    head first{};
    by.value(first);
    auto item = std::make_shared<Item>();
    item->timestamp = first.timestamp;
    item->batch_index = first.place;
    for (std::uint64_t i = 0; i < first.elements; ++i) item->append({});
    for (auto& one : *item) travel(by, one);
    return item;
  }

 private:
  struct head {
    std::int64_t timestamp;
    std::uint64_t place, elements;
  };
};

/// `spb::init_ranks` for such a farm. Ends the program if there are too few ranks.
inline void init_dsparlib(int& argc, char**& argv) {
  spb::init_ranks(argc, argv, spb::rank_threads::one, {.source = 0, .sink = 1});
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks >= 3) return;
  if (rank == 0)
    std::cerr << std::filesystem::path(argv[0]).filename().string()
              << ": a farm of DSParLib needs 3 ranks: source, sink and one that works\n";
  std::exit(1);  // NOLINT(concurrency-mt-unsafe): there are no threads yet
}

template <class Item, class Source> struct dsparlib_source : dspar::Emitter<dsparlib_item<Item>> {
  void Produce() override {
    for (auto item = std::make_shared<Item>(); Source::op(*item); item = std::make_shared<Item>())
      this->Emit(item);
  }
};

template <class Item> struct dsparlib_worker : dspar::Worker<dsparlib_item<Item>, dsparlib_item<Item>> {
  explicit dsparlib_worker(void (*work)(Item&)) : op(work) {}
  void Process(dsparlib_item<Item>& item) override {
    op(*item);
    this->Emit(item);
  }
  void (*op)(Item&);
};

template <class Item, class Sink> struct dsparlib_sink : dspar::Collector<dsparlib_item<Item>> {
  void Process(dsparlib_item<Item>& item) override { Sink::op(*item); }
};

template <class Item, class Source, class Sink> void dsparlib_farm(farm_order order, void (*work)(Item&)) {
  dsparlib_source<Item, Source> first;
  dsparlib_worker<Item> middle(work);
  dsparlib_sink<Item, Sink> last;
  dsparlib_serializer<Item> by;
  auto farm = dspar::Farm(first, by, middle, by, last);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  farm.SetWorkerReplicas(ranks - 2);
  farm.SetCollectorIsOrdered(order == farm_order::of_source);
  farm.SetOnDemandScheduling(true);
  farm.Start(MPI_COMM_WORLD);
}
