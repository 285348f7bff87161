/// `tls_server`, `tls_client`, `tls_token`: streams over TCP that are encrypted and authenticated. In the
/// library `thalweg::tls`, which is built where OpenSSL is found. No header of OpenSSL is included.
#pragma once

#include <thalweg/net/security.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE {

/// Bytes of a token, at least: a shorter one can be guessed.
inline constexpr std::size_t shortest_token = 16;

/// Files are PEM.
struct tls_server_options {
  std::string certificate;   ///< a file: that of this side, and those that it is signed by
  std::string key;           ///< a file: the certificate's private key
  std::string trusted = {};  ///< a file: who must have signed the sender's certificate; empty: it needs none
  /// What the sender has to know; without it, nothing. `shortest_token` bytes at least.
  std::optional<std::string> token = {};
};

/// Files are PEM.
struct tls_client_options {
  std::string trusted = {};  ///< a file: who may have signed the receiver's; empty: whom the system trusts
  std::string name = {};     ///< the receiver's in its certificate; empty: the host that is connected to
  std::string certificate = {};           ///< a file: that of this side, if the receiver asks for one
  std::string key = {};                   ///< a file: the certificate's private key
  std::optional<std::string> token = {};  ///< what the receiver wants to be told
};

/// The receiver's side of TLS, for its `tcp_listener`. It uses TLS 1.3 only. A peer that cannot prove its
/// identity is told so, and ignored: it ends no run.
/// \throws network_error  naming the file that cannot be used, and why
///
/// ```c++
/// #include <thalweg/net/tcp.hpp>
/// #include <thalweg/net/tls.hpp>
/// const tw::tcp_listener here(":9000", tw::tls_server({.certificate = "server.pem", .key = "server.key",
/// .token = secret})); tw::run(tw::tcp_source<int>(here) | tw::sink(show));
/// // and where the items come from:
/// tw::run(numbers | tw::tcp_sink<int>("host:9000", {.security = tw::tls_client({.token = secret})}));
/// ```
std::shared_ptr<const net::accepting_security> tls_server(const tls_server_options& how);

/// The sender's side of TLS, for `tcp_sink_options::security`. A receiver whose certificate has no trusted
/// signature, or another name, ends the sender's run. Example: `tls_server`.
/// \throws network_error  naming the file that cannot be used, and why
std::shared_ptr<const net::connecting_security> tls_client(const tls_client_options& how = {});

/// Either side of TLS without certificates: both know the same token, which proves each to the other and is
/// not sent (a pre-shared key of TLS 1.3, RFC 8446, section 2.2, made by PBKDF2 from the token). An
/// eavesdropper can try tokens offline against a recorded handshake, so the token must be random.
/// \throws network_error  if it has fewer than `shortest_token` bytes
///
/// ```c++
/// const auto ours = tw::tls_token(secret);  // on both sides
/// const tw::tcp_listener here(":9000", ours);
/// ```
std::shared_ptr<const net::security> tls_token(std::string_view token);

}  // namespace THALWEG_NAMESPACE
