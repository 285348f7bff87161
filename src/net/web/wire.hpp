// The bytes of a WebSocket: a connection that libcurl makes, with TLS if it has to, as a stream of
// Boost.Asio's kind. There is no event loop: its calls wait themselves, so that a stop ends them.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/role.hpp>

#include "client.hpp"

namespace THALWEG_NAMESPACE::net::web {

class wire {
 public:
  using error_code = boost::beast::error_code;
  using executor_type = boost::asio::io_context::executor_type;

  /// \throws connection_lost, network_error  as `client::fail`
  wire(const endpoint& to, const waker& wakes);

  /// Connects. False if the wait was given up.
  bool connect();
  /// From now on only the other side's silence is limited.
  void opened() noexcept { opened_ = true; }
  /// What the other side has answered until then: 404 Not Found.
  [[nodiscard]] std::string status() const;
  [[nodiscard]] bool is_opened() const noexcept { return opened_; }
  /// Says that this side closes the WebSocket, and waits for nothing.
  void leave();

  executor_type get_executor() noexcept { return none_.get_executor(); }
  template <class Buffers> std::size_t read_some(const Buffers& into, error_code& error) {
    for (auto at = boost::asio::buffer_sequence_begin(into); at != boost::asio::buffer_sequence_end(into);
         ++at)
      if (const boost::asio::mutable_buffer one(*at); one.size() > 0)
        return receive(static_cast<char*>(one.data()), one.size(), error);
    error = {};
    return 0;
  }
  template <class Buffers> std::size_t write_some(const Buffers& from, error_code& error) {
    for (auto at = boost::asio::buffer_sequence_begin(from); at != boost::asio::buffer_sequence_end(from);
         ++at)
      if (const boost::asio::const_buffer one(*at); one.size() > 0)
        return send(static_cast<const char*>(one.data()), one.size(), error);
    error = {};
    return 0;
  }
  template <class Buffers> std::size_t read_some(const Buffers& into) {
    error_code error;
    const auto size = read_some(into, error);
    if (error) throw boost::beast::system_error(error);
    return size;
  }
  template <class Buffers> std::size_t write_some(const Buffers& from) {
    error_code error;
    const auto size = write_some(from, error);
    if (error) throw boost::beast::system_error(error);
    return size;
  }

 private:
  std::size_t receive(char* into, std::size_t most, error_code& error);
  std::size_t send(const char* from, std::size_t size, error_code& error);
  moment limit() const;
  void say(std::string_view frame);

  const waker& wakes_;
  const std::optional<std::chrono::milliseconds> longest_silence_;
  const moment until_;  // it has connected and is open
  client link_;
  int socket_ = -1;
  bool opened_ = false;
  bool left_ = false;
  std::string answered_{};  // its beginning
  moment heard_{};
  bool pinged_ = false;             // since something was heard
  boost::asio::io_context none_{};  // Beast asks for one; nothing runs it
};

/// libcurl closes what it has connected.
inline void teardown(boost::beast::role_type /*side*/, wire& /*one*/, wire::error_code& error) {
  error = {};
}

}  // namespace THALWEG_NAMESPACE::net::web
