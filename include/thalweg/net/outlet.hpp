/// The sending end of a stream of items that goes to another process.
#pragma once

#include <thalweg/net/carrier.hpp>
#include <thalweg/net/inlet.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE::net {

struct outlet_options {
  std::string tag = {};   ///< what its items are (`tag_of`)
  std::string name = {};  ///< of the stream, for the receiver
  std::uint32_t longest_item = usual_longest_item;
  /// Bytes that may wait here, or be on their way without being confirmed: what a broken connection may have
  /// lost is sent again. A single item may be larger.
  std::size_t capacity = std::size_t{4} << 20U;
  /// How long to try to connect: at first, and after a connection broke.
  std::chrono::milliseconds connect_within = usual_wait;
  /// Of the receiver; without it, bytes travel as they are, to any receiver.
  std::shared_ptr<const connecting_security> secured = {};
  /// Asked now and then during a wait: whether to give up.
  std::function<bool()> given_up = {};
};

/// Sends the items of one stream, over as many connections as it needs. A separate thread carries them: it
/// takes all that waits, so that no item waits for others, and many go together. One thread at a time, except
/// `interrupt`.
class outlet final : public outgoing {
 public:
  /// Begins to connect. \throws network_error  if the address has no host or port
  outlet(address to, outlet_options how);
  /// Tells the receiver that the stream was given up, unless it has ended.
  ~outlet() override;

  /// Waits until the receiver wants items.
  /// \throws network_error  like all others: if no receiver can be reached in time, or it refuses or has
  /// ended
  bool connect() override;
  using outgoing::send;
  /// \throws network_error  also if it is longer than `longest_item`, which does not harm the stream
  bool send(std::span<const std::byte> item, std::string_view key) override;
  bool end() override;

  void interrupt() noexcept override;
  void interrupt_on(const std::stop_token& stop) override;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace THALWEG_NAMESPACE::net
