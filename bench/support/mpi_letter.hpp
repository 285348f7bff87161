#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <mpi.h>

// How items travel between ranks by MPI's own functions: what is small goes in a head, and what elements hold
// follows from where it lies, and to where it belongs. A program says what there is in an element, for both
// ways at once:
//
//   void travel(mpi_letter& by, apps::mandelbrot::line& one) {
//     by.value(one.number);
//     by.block(one.pixels);
//   }

/// A head that is written or read, and the blocks that follow it.
class mpi_letter {
 public:
  /// One to be written.
  mpi_letter() = default;
  /// One to be read.
  explicit mpi_letter(std::vector<char> head) : head_(std::move(head)), reads_(true) {}

  [[nodiscard]] bool reads() const { return reads_; }

  template <class T> void value(T& x) {
    static_assert(std::is_trivially_copyable_v<T>);
    copied(&x, sizeof x);
  }
  /// Chars that are few, and copied.
  template <class Bytes> void text(Bytes& all) {
    auto size = static_cast<std::uint64_t>(all.size());
    value(size);
    if (reads_) all.resize(size);
    copied(all.data(), size);
  }
  /// What has `data` and `size`, of chars, and is resized by who reads.
  template <class Bytes> void block(Bytes& all) {
    auto size = static_cast<std::uint64_t>(all.size());
    value(size);
    if (reads_) all.resize(size);
    lying(all.data(), size);
  }
  /// Memory that has been made for it by who reads.
  void lying(void* where, std::size_t size) {
    if (size > 0) blocks_.emplace_back(where, static_cast<int>(size));
  }
  /// An item, by `travel` for each of its elements.
  template <class Item> void item(Item& all) {
    auto count = static_cast<std::uint32_t>(all.size());
    value(all.timestamp);
    value(all.batch_index);
    value(count);
    for (std::uint32_t i = 0; reads_ && i < count; ++i) all.append({});
    for (auto& one : all) travel(*this, one);
  }

  /// Begins to send it. Head and blocks must stay until `requests` are done.
  void send(int to, int tag, std::vector<MPI_Request>& requests) {
    auto post = [&](const void* from, int size) {
      MPI_Isend(from, size, MPI_BYTE, to, tag, MPI_COMM_WORLD, &requests.emplace_back());
    };
    post(head_.data(), static_cast<int>(head_.size()));
    for (const auto& [where, size] : blocks_) post(where, size);
  }
  /// Waits for the blocks that follow the head.
  void receive_blocks(int from, int tag) {
    for (const auto& [where, size] : blocks_)
      MPI_Recv(where, size, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

 private:
  void copied(void* where, std::size_t size) {
    if (reads_) {
      if (size > 0) std::memcpy(where, &head_[place_], size);
      place_ += size;
    } else {
      const auto* const first = static_cast<const char*>(where);
      head_.insert(head_.end(), first, first + size);
    }
  }

  std::vector<char> head_;
  std::size_t place_ = 0;
  bool reads_ = false;
  std::vector<std::pair<void*, int>> blocks_;
};

/// An item on its way out. Nothing waits for it but the next one in the same place, and the end. It stays
/// where it is: short texts, for one, lie in the item itself.
template <class Item> class mpi_sending {
 public:
  mpi_sending() = default;
  mpi_sending(const mpi_sending&) = delete;
  mpi_sending& operator=(const mpi_sending&) = delete;
  ~mpi_sending() = default;

  void send(Item item, int to, int tag) {
    wait();
    item_ = std::move(item);
    letter_ = {};
    letter_.item(item_);
    letter_.send(to, tag, requests_);
  }
  /// Whether nothing would wait for it any more.
  [[nodiscard]] bool done() {
    int all = 1;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all, MPI_STATUSES_IGNORE);
    return all != 0;
  }
  void wait() {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
  }

 private:
  Item item_;
  mpi_letter letter_;
  std::vector<MPI_Request> requests_;
};

/// Two items on their way: the third waits for the first, which should have been taken by then.
template <class Item> class mpi_two_sending {
 public:
  void send(Item item, int to, int tag) { places_[next_ = 1 - next_].send(std::move(item), to, tag); }
  void wait() {
    for (auto& one : places_) one.wait();
  }

 private:
  std::array<mpi_sending<Item>, 2> places_;
  std::size_t next_ = 0;
};

/// Waits for a message, from `from` (or MPI_ANY_SOURCE) and with `tag` (or MPI_ANY_TAG), and for the item in
/// it; leaves `into` empty if it has none.
template <class Item> MPI_Status mpi_receive(Item& into, int from, int tag) {
  MPI_Status status;
  MPI_Probe(from, tag, MPI_COMM_WORLD, &status);
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::vector<char> head(static_cast<std::size_t>(size));
  MPI_Recv(head.data(), size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  into.clear();
  if (size == 0) return status;
  mpi_letter letter(std::move(head));
  letter.item(into);
  letter.receive_blocks(status.MPI_SOURCE, status.MPI_TAG);
  return status;
}
