/// `network_error`: what networks make fail.
#pragma once

#include <thalweg/model/errors.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE {

/// An error of a connection: names the host and the port, and says what is wrong.
struct network_error : error {
  using error::error;
};

namespace net {

/// A host, by name or number, and a port.
struct address {
  std::string host;  ///< empty: every interface of this machine, where one listens
  std::uint16_t port = 0;

  /// `localhost:9000`, `192.168.0.7:9000`, `[::1]:9000`, `:9000`. \throws network_error  if it is none
  static address parse(std::string_view text);
  /// The same as a text.
  [[nodiscard]] std::string text() const;
};

/// What is wrong with an address to connect to; empty if nothing is.
std::string problem_with(const std::string& where);

}  // namespace net
}  // namespace THALWEG_NAMESPACE
