/// How the connections of a stream are protected. tls.hpp makes these.
#pragma once

#include <thalweg/net/address.hpp>

#include <cstddef>
#include <memory>
#include <span>

namespace THALWEG_NAMESPACE::net {

/// What encrypts the bytes of one connection, which is a socket that nothing waits on. One thread at a time.
/// Errors are `network_error`s.
class cipher {
 public:
  cipher() = default;
  cipher(const cipher&) = delete;
  cipher& operator=(const cipher&) = delete;
  virtual ~cipher() = default;

  /// Goes on with proving the identity of the other side. Returns what to wait for before the next call, as
  /// `poll` names it; 0 once that is done. \throws network_error  if the other side cannot be trusted
  virtual short shake_hands() = 0;
  /// Sends what can be sent at once; returns how much that was.
  virtual std::size_t send_some(std::span<const std::byte> bytes) = 0;
  /// Bytes that it has begun to send, but not reported as sent: the next call must give at least these again.
  [[nodiscard]] virtual std::size_t begun() const noexcept = 0;
  /// Receives what is there, 0 if nothing is.
  virtual std::size_t receive_some(std::span<std::byte> into) = 0;
  /// Whether bytes have come that were not received yet: the socket no longer shows them.
  [[nodiscard]] virtual bool has_more() const noexcept = 0;
};

/// Makes the ciphers of a side that is connected to. Any thread.
class accepting_security {
 public:
  accepting_security() = default;
  accepting_security(const accepting_security&) = delete;
  accepting_security& operator=(const accepting_security&) = delete;
  virtual ~accepting_security() = default;

  [[nodiscard]] virtual std::unique_ptr<cipher> of_accepted(int socket) const = 0;
};

/// Makes the ciphers of a side that connects. Any thread.
class connecting_security {
 public:
  connecting_security() = default;
  connecting_security(const connecting_security&) = delete;
  connecting_security& operator=(const connecting_security&) = delete;
  virtual ~connecting_security() = default;

  [[nodiscard]] virtual std::unique_ptr<cipher> of_connected(int socket, const address& to) const = 0;
};

/// What is the same for both sides.
class security : public accepting_security, public connecting_security {};

}  // namespace THALWEG_NAMESPACE::net
