/// `sse_sink`: shows a stream to browsers, as server-sent events. Not part of thalweg.hpp.
#pragma once

#include <thalweg/net/sse_server.hpp>
#include <thalweg/pattern/sink.hpp>
#include <thalweg/stages/building.hpp>

#include <concepts>
#include <functional>
#include <string>
#include <utility>

namespace THALWEG_NAMESPACE {

/// How items become events.
template <class T> struct sse_sink_options {
  /// The text of an item. Strings and numbers need none.
  std::function<std::string(const T&)> text = {};
  /// The type of its event; without it, `message`.
  std::function<std::string(const T&)> event = {};
  /// The type of the event that says that the stream has ended; empty: nothing says so.
  std::string end = "end";
};

namespace net {

template <class T>
concept has_text = std::convertible_to<const T&, std::string> || std::integral<T> || std::floating_point<T>;

template <class T> struct show_items {
  static constexpr auto pattern = "sse_sink";
  sse_server at;
  sse_sink_options<T> how;

  void check(model::stage_info& info) const {
    if (!how.text && !has_text<T>)
      info.problems.emplace_back(".text is missing: it makes the text of an item");
  }
  void operator()(const T& item) {
    if (how.event)
      at.publish(text_of(item), how.event(item));
    else
      at.publish(text_of(item));
  }
  void on_end() {
    if (!how.end.empty()) at.publish({}, how.end);
  }

 private:
  std::string text_of(const T& item) const {
    if (how.text) return how.text(item);
    if constexpr (std::convertible_to<const T&, std::string>)
      return item;
    else if constexpr (has_text<T>)
      return std::to_string(item);
    else
      return {};
  }
};

}  // namespace net

/// Sends items to all clients of a server, each as an event. At the end of the stream an event of the type
/// `.end` follows; clients stay connected, for a later stream to the same server.
///
/// Order: deterministic, and that of the stream for each client; it is serial. It waits for no client: one
/// that is slow, or not there, misses events (`sse_server`).
///
/// Errors: without `.text`, items that are neither strings nor numbers are an `invalid_job`. What goes wrong
/// with a client ends its connection and nothing else.
///
/// ```cpp
/// #include <thalweg/net/sse.hpp>
/// const tw::sse_server here("localhost:0");  // in a page: new EventSource(here.url()).onmessage = ...
/// tw::run(tw::source(std::vector{1, 2, 3}) | tw::sse_sink<int>(here));
/// ```
template <class T> auto sse_sink(sse_server at, sse_sink_options<T> how = {}, options opts = {}) {
  return stages::make<model::sink_stage>(net::show_items<T>{std::move(at), std::move(how)}, std::move(opts));
}

}  // namespace THALWEG_NAMESPACE
