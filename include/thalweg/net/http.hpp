/// `http_lines`, `http_events`: the lines of what a web server answers, and its events. Not part of
/// thalweg.hpp; in the library `thalweg::web`, which is there where libcurl is. No header of libcurl is
/// included.
#pragma once

#include <thalweg/model/codec.hpp>
#include <thalweg/net/web_source.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace THALWEG_NAMESPACE {

/// What is asked for, and how its answer is taken. Files are PEM.
struct http_lines_options {
  std::string method = {};  ///< empty: GET, or POST if there is a body
  std::string body = {};    ///< of the request; its type is a header, `Content-Type`
  web_headers headers = {};
  std::string bearer = {};       ///< a token, for `Authorization: Bearer`
  std::string trusted = {};      ///< a file: who may have signed the server's; empty: whom the system trusts
  std::string certificate = {};  ///< a file: that of this side, if the server asks for one
  std::string key = {};          ///< a file: the certificate's private key
  /// How long to try to connect.
  std::chrono::milliseconds connect_within = net::usual_wait;
  /// For how long the server may send nothing; without it, forever.
  std::optional<std::chrono::milliseconds> longest_silence = {};
  /// Asks again so long after it has asked, or when the answer has ended if that is later. Without it, once.
  std::optional<std::chrono::milliseconds> every = {};
  /// Asks again after the connection was lost. Without it, that is an error.
  std::optional<web_reconnect> reconnect = {};
  /// Lines may end with CR LF as well as with LF: a CR in front of an LF is no part of the line.
  bool crlf = false;
  /// In bytes. A longer line is an error.
  std::int64_t longest = net::usual_longest_text;
};

/// An event that a server has sent (server-sent events).
struct http_event {
  std::string id{};     ///< the last that the server has given, for this event or one before it
  std::string event{};  ///< its name; `message` if it has none
  std::string data{};   ///< its lines, with an LF between them
};
template <>
struct codec<http_event> : codec_of_members<&http_event::id, &http_event::event, &http_event::data> {};

/// What is asked for, and how its events are taken. Files are PEM.
struct http_events_options {
  std::string method = {};  ///< empty: GET, or POST if there is a body
  std::string body = {};    ///< of the request; its type is a header, `Content-Type`
  web_headers headers = {};
  std::string bearer = {};       ///< a token, for `Authorization: Bearer`
  std::string trusted = {};      ///< a file: who may have signed the server's; empty: whom the system trusts
  std::string certificate = {};  ///< a file: that of this side, if the server asks for one
  std::string key = {};          ///< a file: the certificate's private key
  /// How long to try to connect.
  std::chrono::milliseconds connect_within = net::usual_wait;
  /// For how long the server may send nothing, not even a comment; without it, forever.
  std::optional<std::chrono::milliseconds> longest_silence = {};
  /// Asks again after the connection was lost or the answer has ended. Without it, a loss is an error, and
  /// the end of the answer that of the stream.
  std::optional<web_reconnect> reconnect = {};
  /// The event behind which the first request asks the server to begin.
  std::string last_event_id = {};
  /// In bytes. Longer data of an event, and a longer line, are an error.
  std::int64_t longest = net::usual_longest_text;
};

namespace net {

struct open_http_lines {
  static constexpr auto pattern = "http_lines";
  using item = std::string;
  using options = http_lines_options;
  static void check(const std::string& url, const options& how, model::stage_info& info);
  static std::unique_ptr<web_stream<item>> open(const std::string& url, const options& how);
};

struct open_http_events {
  static constexpr auto pattern = "http_events";
  using item = http_event;
  using options = http_events_options;
  static void check(const std::string& url, const options& how, model::stage_info& info);
  static std::unique_ptr<web_stream<item>> open(const std::string& url, const options& how);
};

}  // namespace net

/// A source of the lines of what a web server answers, as `std::string`s without their ends, each as soon as
/// it has come. The last line needs no end. What is compressed (gzip, deflate) is unpacked. Redirects are
/// followed, ten at most, from https to https only. The server's certificate is verified.
///
/// Order: deterministic. It reads when the stream wants a line, and some 100 KB before; a server that is
/// faster waits. `stop()` and `cancel()` end all waits. The stage is `.blocking` (unless it is on the
/// caller's thread).
///
/// Errors: a server that cannot be reached or is silent for longer than `.longest_silence`, a certificate
/// that cannot be trusted, a status that is not 2xx, an answer that breaks off or is none, and a line longer
/// than `.longest` end the run with a `network_error` that names the address. All lines before that come.
/// `.on_error = tw::skip` leaves out a line that is too long, and otherwise still ends the run.
/// With `.reconnect`, it asks again after a loss: the incomplete line is left out, lines that the server
/// sends again come again. A wrong address or a wrong option is an `invalid_job`.
///
/// ```c++
/// #include <thalweg/net/http.hpp>
/// tw::run(tw::http_lines("https://example.org/measurements", {.bearer = token, .every = 10s}) |
///         tw::map(parse) | tw::sink(store));
/// ```
inline auto http_lines(std::string url, http_lines_options how = {}, options opts = {}) {
  return net::make_web_source<net::open_http_lines>(std::move(url), std::move(how), std::move(opts));
}

/// A source of the events that a web server sends (`text/event-stream`, server-sent events of HTML), each as
/// soon as it has come. When it connects again it says by `Last-Event-ID` which one was the last.
///
/// Order: as `http_lines`. The stream ends with the answer; with `.reconnect`, only with status 204.
///
/// Errors: as `http_lines`; also an answer of another type. An event that is longer than `.longest` ends the
/// run; `.on_error = tw::skip` leaves it out.
///
/// ```c++
/// #include <thalweg/net/http.hpp>
/// tw::run(tw::http_events("https://example.org/changes", {.reconnect = tw::web_reconnect{}}) |
///         tw::sink([](const tw::http_event& e) { std::cout << e.event << ": " << e.data << '\n'; }));
/// ```
inline auto http_events(std::string url, http_events_options how = {}, options opts = {}) {
  return net::make_web_source<net::open_http_events>(std::move(url), std::move(how), std::move(opts));
}

}  // namespace THALWEG_NAMESPACE
