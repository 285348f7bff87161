/// The receiving end of a stream of items that comes from another process.
#pragma once

#include <thalweg/net/carrier.hpp>
#include <thalweg/net/listener.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE::net {

/// The longest item by default: 64 MiB.
inline constexpr std::uint32_t usual_longest_item = std::uint32_t{64} << 20U;
/// How long to wait for a connection that broke, or has not come.
inline constexpr std::chrono::milliseconds usual_wait{30'000};

struct inlet_options {
  /// The type of its items (`tag_of`): a sender of others is refused; empty: not checked.
  std::string tag = {};
  std::uint32_t longest_item = usual_longest_item;
  /// How long to wait for the first connection; without it, forever.
  std::optional<std::chrono::milliseconds> come_within = {};
  /// How long to wait for the sender after its connection broke.
  std::chrono::milliseconds return_within = usual_wait;
  /// Asked now and then during a wait: whether to give up.
  std::function<bool()> given_up = {};
};

/// Takes the items of one stream, each once and in order, over as many connections as it needs. What is read
/// ahead is bounded: a sender that is faster waits. One thread at a time, except `interrupt`.
///
/// A peer that does not send such items is told why it is refused. Before the stream has begun that is also
/// an error here, since no other sender may ever come; later, when the sender may come back, the peer is
/// ignored.
class inlet final : public incoming {
 public:
  /// \throws network_error  if another stream is taken from there
  inlet(tcp_listener at, inlet_options how);
  /// Tells a sender whose stream has not ended that it is no longer received.
  ~inlet() override;

  /// The sender begins when the first item is asked for.
  bool await_sender() override;
  [[nodiscard]] const std::string& name() const noexcept override;
  [[nodiscard]] const std::string& tag() const noexcept override;
  [[nodiscard]] sender_clock clock() const noexcept override;
  /// \throws network_error  if the sender does not come, is not one, gave up, or sends something invalid;
  /// also when called again
  std::optional<std::span<const std::byte>> next() override;
  bool ready_by(std::int64_t until_ns) override;
  [[nodiscard]] std::string place() const override;
  [[nodiscard]] bool ended() const noexcept override;

  void close(std::string_view why) override;
  void interrupt() noexcept override;
  void interrupt_on(const std::stop_token& stop) override;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace THALWEG_NAMESPACE::net
