#pragma once

#include <thalweg/model/wire.hpp>
#include <thalweg/pipe/futex.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "../graph/exchange.hpp"

/// How messages get from one rank to another. Only `endpoint` knows what they mean.
namespace THALWEG_NAMESPACE::run_detail::distributed {

using bytes = std::vector<std::byte>;

/// A message on its way out, the blocks that follow it, and what these lie in: items, and what was too long
/// for the message itself.
struct outgoing_message {
  int to = 0;
  bytes content;
  std::vector<std::span<const std::byte>> blocks;
  dataflow::chunk_ptr items;
  bytes apart;

  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t n = content.size();
    for (const auto& b : blocks) n += b.size();
    return n;
  }
};

/// A message that has been opened, whose blocks are still to come.
struct partial_receive {
  virtual ~partial_receive() = default;
  std::vector<std::span<std::byte>> places;  ///< where the blocks belong, each as long as its block
};

/// Buffers of messages, which are used again if they are not very long. Any thread.
class buffer_pool {
 public:
  [[nodiscard]] bytes take();
  void give(bytes content);

 private:
  static constexpr std::size_t most = 32;
  static constexpr std::size_t longest = std::size_t{1} << 20;
  std::mutex lock_;
  std::vector<bytes> spare_;
};

/// What the communication thread sleeps on, and others wake it by.
struct doorbell {
  pipe::futex_word rung{0};
  std::atomic<std::uint32_t> sleeping{0};
};

/// Opens messages. The communication thread calls it.
class recipient {
 public:
  /// The length of a message that is to come, which its sender has said. Returns only if there can be one.
  [[nodiscard]] virtual std::size_t length(int from, std::uint64_t n) = 0;
  /// A message has come. Says where its blocks belong; there are as many bytes to come as there were sent.
  [[nodiscard]] virtual std::unique_ptr<partial_receive> open(int from,
                                                              std::span<const std::byte> content) = 0;
  /// All of it has come. Of one sender: in the order in which it was sent.
  virtual void complete(int from, std::unique_ptr<partial_receive> whole) = 0;
  /// Wakes the communication thread: it has something to do. Any thread.
  virtual void wake() noexcept = 0;
  /// For messages that have been sent, or are to be received.
  [[nodiscard]] virtual buffer_pool& buffers() noexcept = 0;

 protected:
  ~recipient() = default;
};

/// Takes messages to some of the other ranks, and brings theirs.
class transport {
 public:
  transport() = default;
  transport(const transport&) = delete;
  transport& operator=(const transport&) = delete;
  virtual ~transport() = default;

  /// Begins to send. What is sent to one rank arrives in the order of these calls. Any thread, which is never
  /// kept waiting.
  virtual void send(outgoing_message s) = 0;

  // The communication thread.

  /// Lets what is on its way go on, in and out. False: nothing has moved.
  virtual bool look() = 0;
  /// Something moves only while this thread looks, so it does not pay to sleep.
  [[nodiscard]] virtual bool under_way() const = 0;
  /// Gives back what all ranks have in common. All of them call it at the end.
  virtual void close() {}
  /// Nothing is left here of what was sent.
  [[nodiscard]] virtual bool all_sent() const = 0;
};

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
