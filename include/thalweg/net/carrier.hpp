/// What streams from and to other processes have in common, whatever carries them.
#pragma once

#include <thalweg/net/address.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE::net {

/// What the receiver knows about the sender's monotonic clock.
struct sender_clock {
  enum class relation : std::uint8_t {
    unknown,
    shared,       ///< both processes read the same clock
    asked,        ///< it was asked over the connection
    wall_clocks,  ///< through the wall clocks of both machines, as far as these agree
  };
  relation by = relation::unknown;
  std::int64_t ahead_ns = 0;   ///< what it shows more than the one here
  std::int64_t within_ns = 0;  ///< how wrong that may be, where it was asked
};

/// The receiving end of a stream: gives each item once. One thread at a time, except `interrupt`. Errors are
/// `network_error`s.
class incoming {
 public:
  incoming() = default;
  incoming(const incoming&) = delete;
  incoming& operator=(const incoming&) = delete;
  virtual ~incoming() = default;

  /// Waits for the sender. False if the wait was given up.
  virtual bool await_sender() = 0;
  /// What the sender says about its stream, its items and its clock. Known once it is there.
  [[nodiscard]] virtual const std::string& name() const noexcept = 0;
  [[nodiscard]] virtual const std::string& tag() const noexcept = 0;
  [[nodiscard]] virtual sender_clock clock() const noexcept = 0;

  /// The next item's bytes, good until the next call. None at the end, or if the wait was given up.
  virtual std::optional<std::span<const std::byte>> next() = 0;
  /// Waits for what `next` gives until a moment of the steady clock (`observe::now_ns`). Returns whether it
  /// is there by then: an item, the end, or an error.
  virtual bool ready_by(std::int64_t until_ns) = 0;
  /// The item that `next` gave last is passed over: no later call says what became of it.
  virtual void passed_over() {}
  /// Where the last item that `next` gave comes from, for a message.
  [[nodiscard]] virtual std::string place() const = 0;
  /// Whether the stream has come to its end.
  [[nodiscard]] virtual bool ended() const noexcept = 0;

  /// Ends the stream here. The sender is told why, if possible.
  virtual void close(std::string_view why) = 0;
  /// From now on no wait lasts. Any thread.
  virtual void interrupt() noexcept = 0;
  /// The same when a stop is requested. Calls after the first do nothing.
  virtual void interrupt_on(const std::stop_token& stop) = 0;
};

/// The sending end of a stream. If it is destroyed before `end`, it has given up, and says so. One thread at
/// a time, except `interrupt`. Errors are `network_error`s.
class outgoing {
 public:
  outgoing() = default;
  outgoing(const outgoing&) = delete;
  outgoing& operator=(const outgoing&) = delete;
  virtual ~outgoing() = default;

  /// Waits until items can be sent. False if the wait was given up; so are the others.
  virtual bool connect() = 0;
  /// Waits until there is room for an item, and takes it. `key`: items of one key keep their order wherever
  /// the carrier spreads them; empty: it has none, or the carrier ignores it.
  virtual bool send(std::span<const std::byte> item, std::string_view key) = 0;
  bool send(std::span<const std::byte> item) { return send(item, {}); }
  /// After the last item: waits until all have arrived.
  virtual bool end() = 0;

  /// From now on no wait lasts, and the stream is given up. Any thread.
  virtual void interrupt() noexcept = 0;
  /// The same when a stop is requested. Calls after the first do nothing.
  virtual void interrupt_on(const std::stop_token& stop) = 0;
};

}  // namespace THALWEG_NAMESPACE::net
