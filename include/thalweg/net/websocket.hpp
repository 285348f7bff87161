/// `websocket_messages`: what a web server sends over a WebSocket. Not part of thalweg.hpp; in the library
/// `thalweg::web`, which is there where libcurl and Boost.Beast are. No header of them is included.
#pragma once

#include <thalweg/model/codec.hpp>
#include <thalweg/net/web_source.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

/// A message of a WebSocket.
struct websocket_message {
  std::string data{};
  bool text = true;  ///< it is UTF-8; false: any bytes
};
template <>
struct codec<websocket_message> : codec_of_members<&websocket_message::data, &websocket_message::text> {};

/// How it is connected, and what is said first. Files are PEM.
struct websocket_options {
  /// Messages, of text, that are sent after each time that it has connected: what is subscribed to.
  std::vector<std::string> first = {};
  web_headers headers = {};      ///< of the request that opens the WebSocket
  std::string bearer = {};       ///< a token, for `Authorization: Bearer`
  std::string trusted = {};      ///< a file: who may have signed the server's; empty: whom the system trusts
  std::string certificate = {};  ///< a file: that of this side, if the server asks for one
  std::string key = {};          ///< a file: the certificate's private key
  /// How long to try to connect, and to open the WebSocket.
  std::chrono::milliseconds connect_within = net::usual_wait;
  /// For how long the server may send nothing; without it, forever. After half of it the source sends a
  /// ping, so a server that is there is not silent.
  std::optional<std::chrono::milliseconds> longest_silence = {};
  /// Connects again after the connection was lost. Without it, that is an error.
  std::optional<web_reconnect> reconnect = {};
  /// In bytes. A longer message is an error.
  std::int64_t longest = net::usual_longest_text;
};

namespace net {

struct open_websocket {
  static constexpr auto pattern = "websocket_messages";
  using item = websocket_message;
  using options = websocket_options;
  static void check(const std::string& url, const options& how, model::stage_info& info);
  static std::unique_ptr<web_stream<item>> open(const std::string& url, const options& how);
};

}  // namespace net

/// A source of the messages that a web server sends over a WebSocket (`ws://`, `wss://`), each as soon as it
/// has come. It answers pings while it waits for messages. The server's certificate is verified.
///
/// Order: deterministic. It reads when the stream wants a message; a server that is faster waits. `stop()`
/// and `cancel()` end all waits. The stream ends when the server closes it with 1000, or without a code. The
/// stage is `.blocking` (unless it is on the caller's thread).
///
/// Errors: a server that cannot be reached, refuses or is silent for longer than `.longest_silence`, a
/// certificate that cannot be trusted, another close code, a connection that breaks off and frames that are
/// none end the run with a `network_error` that names the address. A message longer than `.longest` does too;
/// `.on_error = tw::skip` leaves it out. With `.reconnect`, it connects again after a loss (also close codes
/// 1001, 1011 to 1014): what the server has sent meanwhile is missing. A wrong address or a wrong option is
/// an `invalid_job`.
///
/// ```c++
/// #include <thalweg/net/websocket.hpp>
/// tw::run(tw::websocket_messages("wss://example.org/trades", {.first = {R"({"subscribe": "all"})"}}) |
///         tw::sink([](const tw::websocket_message& m) { std::cout << m.data << '\n'; }));
/// ```
inline auto websocket_messages(std::string url, websocket_options how = {}, options opts = {}) {
  return net::make_web_source<net::open_websocket>(std::move(url), std::move(how), std::move(opts));
}

}  // namespace THALWEG_NAMESPACE
