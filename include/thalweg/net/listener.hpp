/// `tcp_listener`: where a stream over TCP is waited for.
#pragma once

#include <thalweg/net/address.hpp>
#include <thalweg/net/security.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE {

namespace net {
class inlet;
}

/// Listens at a port from its construction on: a sender that connects waits until a stream takes its items.
/// Copies are the same port, which is closed with the last of them. One stream at a time; another may follow.
/// Any thread.
///
/// ```cpp
/// #include <thalweg/net/tcp.hpp>
/// const tw::tcp_listener here("localhost:0");  // any free port
/// assert(here.port() != 0 && here.where() == "localhost:" + std::to_string(here.port()));
/// ```
class tcp_listener {
 public:
  /// `address`: `host:port`, of this machine; `:port` for all its interfaces; port 0 for one that is free.
  /// `security`: which senders may connect, and the encryption (tls.hpp); without it, any sender, and none.
  /// \throws network_error  if the address is invalid, or listening there is not possible
  explicit tcp_listener(std::string_view address,
                        std::shared_ptr<const net::accepting_security> security = {});

  [[nodiscard]] std::uint16_t port() const noexcept;
  /// The address, with the actual port.
  [[nodiscard]] std::string where() const;

 private:
  friend class net::inlet;
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace THALWEG_NAMESPACE
