#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include <mpi.h>

#include "two_sided.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

/// Messages as messages of MPI, and their blocks through windows. Each rank has a ring of bytes for each
/// other one, from which that one fetches straight to where the bytes belong.
///
/// State: for each ring how far it is written (`head`), fetched and free again (the tail in the window).
/// Written by: the communication threads of both ranks. The sender writes the ring and tells the head by a
/// message. The receiver fetches, and writes the tail by an atomic operation.
/// Invariant: tail <= head <= tail + size. The receiver fetches only below a head that it was told, and in
/// the order of the messages. The sender writes only where the tail has passed.
class one_sided final : public two_sided {
 public:
  /// What a rank has at most for its rings, and what one of `ranks` has.
  static constexpr std::size_t most_window_bytes = std::size_t{16} << 20;
  [[nodiscard]] static std::size_t ring_bytes(int ranks) noexcept;

  /// All ranks of `comm` have to call it. Null on all of them: this MPI has no such window.
  [[nodiscard]] static std::unique_ptr<one_sided> open(MPI_Comm comm, recipient& to);

  void close() override;
  bool look() override;
  [[nodiscard]] bool under_way() const override;

 private:
  one_sided(MPI_Comm comm, recipient& to, MPI_Win window, std::byte* mine, int ranks);

  // What is still to be copied into a ring.
  struct leaving_block {
    std::span<const std::byte> left;
    leaving* of;
  };
  struct outlet {
    std::deque<leaving_block> queue;
    std::uint64_t head = 0, told = 0, telling = 0;
    bool busy = false;  // with telling
  };
  // A block that is to be fetched, and a part of one that is being fetched.
  struct arriving_block {
    std::span<std::byte> left;
    arriving* of;
  };
  struct part {
    std::size_t size = 0;
    bool busy = true;
  };
  struct inlet {
    std::deque<arriving_block> queue;
    std::deque<part> parts;
    std::uint64_t known = 0, asked = 0, fetched = 0;  // up to where
    std::uint64_t told = 0, telling = 0, before = 0;
    bool busy = false;  // with telling
  };

  void send_blocks(leaving& s) override;
  void receive_blocks(int from, arriving& into) override;
  [[nodiscard]] std::uint64_t tail_of(std::size_t to) const noexcept;
  bool copy(std::size_t to);
  bool hear();
  bool fetch(std::size_t from);

  MPI_Win window_;
  std::byte* const mine_;
  int rank_ = 0;
  const std::size_t size_;  // of a ring
  std::vector<outlet> out_;
  std::vector<inlet> in_;
};

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
