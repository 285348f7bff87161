/// What the sources of web servers have in common: http.hpp and websocket.hpp have the sources.
#pragma once

#include <thalweg/net/inlet.hpp>
#include <thalweg/stages/building.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

/// Headers of a request: `{{"Accept", "application/json"}}`.
using web_headers = std::vector<std::pair<std::string, std::string>>;

/// How a source connects again after its connection was lost: one that breaks, is refused, is silent for too
/// long, or a server that says that it is overloaded or out of order (408, 429, 5xx). `{}`: forever.
struct web_reconnect {
  /// How often in a row. What comes from the server begins a new row.
  int tries = std::numeric_limits<int>::max();
  /// How long it waits before the first try. Each further wait of a row is twice as long.
  std::chrono::milliseconds delay{500};
  std::chrono::milliseconds longest_delay{30'000};
};

namespace net {

/// The longest line, event or message by default: 64 MiB.
inline constexpr std::int64_t usual_longest_text = std::int64_t{64} << 20U;

/// The items that come from a web server. One thread. Errors are `network_error`s.
template <class T> class web_stream {
 public:
  web_stream() = default;
  web_stream(const web_stream&) = delete;
  web_stream& operator=(const web_stream&) = delete;
  virtual ~web_stream() = default;

  /// Empty at the end, or when a stop is requested, which must be the same at each call.
  virtual std::optional<T> next(const std::stop_token& stop) = 0;
  /// Leaves out what `next` failed at: an item that is too long. False: nothing follows it.
  virtual bool give_up() = 0;
};

/// The operator of a source. `Open` has `pattern`, `item`, `options`, `check` and `open`.
template <class Open> struct read_web {
  static constexpr auto pattern = Open::pattern;
  using item = typename Open::item;
  std::string url;
  typename Open::options how;
  stages::unshared<web_stream<item>> from{};

  void check(model::stage_info& info) const { Open::check(url, how, info); }
  std::optional<item> next(const std::stop_token& stop) {
    if (!from) from = Open::open(url, how);
    return from->next(stop);
  }
  bool give_up() { return from && from->give_up(); }
  // The server sees at once that nobody listens any more, not when the run is destroyed.
  void on_end() { from.reset(); }
};

/// It waits for the server, so it has its own thread, unless it is on the caller's.
template <class Open> auto make_web_source(std::string url, typename Open::options how, options opts) {
  opts.blocking = opts.on != caller_thread;
  return stages::make<stages::read_stage>(read_web<Open>{std::move(url), std::move(how)}, std::move(opts));
}

}  // namespace net
}  // namespace THALWEG_NAMESPACE
