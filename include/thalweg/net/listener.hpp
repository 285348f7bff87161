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

/// A port that is listened at, from its making on: who connects waits until a stream takes its items. Copies
/// are the same port, which is closed with the last of them. One stream at a time; a next one may follow.
/// Any thread.
///
/// ```cpp
/// #include <thalweg/net/tcp.hpp>
/// const tw::tcp_listener here("localhost:0");  // some port that is free
/// assert(here.port() != 0 && here.where() == "localhost:" + std::to_string(here.port()));
/// ```
class tcp_listener {
 public:
  /// `address`: `host:port`, of this machine; `:port` for all its interfaces; port 0 for one that is free.
  /// `security`: who may connect, and that nobody else can read what comes (tls.hpp); without it, anybody.
  /// \throws network_error  if it is no address, or nobody can listen there
  explicit tcp_listener(std::string_view address,
                        std::shared_ptr<const net::accepting_security> security = {});

  [[nodiscard]] std::uint16_t port() const noexcept;
  /// The address, with the port that it has come to be.
  [[nodiscard]] std::string where() const;

 private:
  friend class net::inlet;
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace THALWEG_NAMESPACE
