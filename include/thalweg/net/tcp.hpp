/// `tcp_source`, `tcp_sink`: streams from and to other processes. Not part of thalweg.hpp.
#pragma once

#include <thalweg/model/codec.hpp>
#include <thalweg/net/inlet.hpp>
#include <thalweg/net/outlet.hpp>
#include <thalweg/pattern/sink.hpp>
#include <thalweg/stages/building.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace thalweg {

/// How a stream is taken from another process.
struct tcp_source_options {
  /// In bytes. Who sends a longer one ends the run with an error.
  std::uint32_t longest_item = net::usual_longest_item;
  /// How long the sender is waited for at first; without it, for ever.
  std::optional<std::chrono::milliseconds> come_within = {};
  /// How long a sender whose connection broke is waited for.
  std::chrono::milliseconds return_within = net::usual_wait;
};

/// How a stream is given to another process.
struct tcp_sink_options {
  /// In bytes. A longer one is an error of its item.
  std::uint32_t longest_item = net::usual_longest_item;
  /// Bytes that wait to be sent, or to be confirmed.
  std::size_t capacity = std::size_t{4} << 20U;
  /// How long a connection is tried for, the first one and each that must replace one that broke.
  std::chrono::milliseconds connect_within = net::usual_wait;
};

namespace net {

template <class T> struct receive_items {
  static constexpr auto pattern = "tcp_source";
  tcp_listener at;
  tcp_source_options how;
  stages::unshared<inlet> from{};
  std::optional<std::span<const std::byte>> in_hand{};  // an item that could not be read may be tried again

  std::optional<T> next(const std::stop_token& stop) {
    if (!from)
      from = std::make_unique<inlet>(
          at, inlet_options{tag_of<T>(), how.longest_item, how.come_within, how.return_within, {}});
    from->interrupt_on(stop);
    if (!in_hand) in_hand = from->next();
    if (!in_hand) {
      on_end();
      return {};
    }
    auto item = decode<T>(*in_hand);
    in_hand.reset();
    return item;
  }
  // Who is stopped tells the sender at once, not when the run is forgotten.
  void on_end() {
    if (from && !from->ended()) from->close("the stream has ended there");
  }
  void give_up() {
    if (!in_hand) throw network_error(at.where() + ": the stream cannot be gone on with");
    in_hand.reset();
  }
};

struct item_outlet {
  outlet to;
  std::vector<std::byte> bytes{};  // of the item in hand
  item_outlet(const address& where, outlet_options how) : to(where, std::move(how)) {}
};

template <class T> struct send_items {
  static constexpr auto pattern = "tcp_sink";
  std::string where;
  tcp_sink_options how;
  stages::unshared<item_outlet> out{};

  void check(model::stage_info& info) const {
    if (auto problem = problem_with(where); !problem.empty()) info.problems.push_back(std::move(problem));
  }
  void on_start() {
    out = std::make_unique<item_outlet>(
        address::parse(where),
        outlet_options{tag_of<T>(), {}, how.longest_item, how.capacity, how.connect_within, {}});
  }
  void operator()(const T& item) {
    encode(item, out->bytes);
    if (!out->to.send(out->bytes)) throw cancelled{};
  }
  void on_end() { out->to.end(); }
};

template <class In, class F> struct send_op : model::sink_op<In, F> {
  template <class Frame, class T> void step(Frame& f, T&& item) {
    this->fn.out->to.interrupt_on(f.ctx.stop);
    model::sink_op<In, F>::step(f, std::forward<T>(item));
  }
  // A source that ends because of a cancel must not look like the end of the stream.
  template <class Frame, class Next> void finish(Frame& f, Next& next) {
    this->fn.out->to.interrupt_on(f.ctx.stop);
    model::sink_op<In, F>::finish(f, next);
  }
};

template <class Fn> struct send_stage : model::stage_defaults, model::function_stage<send_op, Fn> {
  static constexpr bool is_sink = true;
  static constexpr bool one_to_one = true;
  using wants = model::first_argument_t<Fn>;
  template <class In> static constexpr bool accepts = std::invocable<Fn&, const In&>;
  template <class In>
  static constexpr bool accepts_shared = [] {
    static_assert(std::is_void_v<In>,
                  "thalweg::tcp_sink: replicas cannot share a connection: put it behind the tw::farm");
    return false;
  }();
  template <class In> using output = model::nothing;
};

}  // namespace net

/// A source of the items that another process sends: a `tcp_sink<T>` there, or `./thalweg feed`. It waits for
/// the sender to connect. Both must agree on `T`: their codecs' tags are compared, see `codec`.
///
/// Order: deterministic, that of the sender; each item once. A sender whose connection breaks comes back, and
/// goes on where it was. Items are taken off the connection when the stream wants them; where that is slow,
/// the sender waits. `stop()` and `cancel()` end all waits, and tell the sender. The stage is `.blocking`
/// (unless it is on the caller's thread).
///
/// Errors: who connects and is no sender of such items, a sender that gives up or is waited for in vain, and
/// an item that is too long end the run with a `network_error`; one whose bytes are no `T`, with a
/// `codec_error`, and that item alone can be passed over by `.on_error = tw::skip`.
///
/// ```cpp
/// #include <thalweg/net/tcp.hpp>
/// const tw::tcp_listener here("localhost:0");
/// std::jthread sender([there = here.where()] {  // another process, as a rule
///   tw::run(tw::source(std::vector<std::string>{"one", "two"}) | tw::tcp_sink<std::string>(there));
/// });
/// std::vector<std::string> seen;
/// tw::run(tw::tcp_source<std::string>(here) | tw::sink(seen));
/// assert((seen == std::vector<std::string>{"one", "two"}));
/// ```
template <class T> auto tcp_source(tcp_listener at, tcp_source_options how = {}, options opts = {}) {
  opts.blocking = opts.on != caller_thread;
  return stages::make<stages::read_stage>(net::receive_items<T>{std::move(at), how}, std::move(opts));
}

/// Sends items to another process: to a `tcp_source<T>` there. `address`: its `host:port`.
///
/// Order: deterministic; it is serial, and refused in a farm. A thread of its own carries the items: each at
/// once, and those that wait together. At the end of the stream it waits until the other side has taken all.
/// A connection that breaks is replaced, and what may be lost is sent again, once. The stage is `.blocking`
/// (unless it is on the caller's thread).
///
/// Errors: an address that is none is an `invalid_job`. Whom it cannot reach in time, who refuses, or ends
/// before the stream does, ends the run with a `network_error`; so does an item that is longer than
/// `.longest_item`, which `.on_error = tw::skip` passes over. A run that fails or is cancelled tells the
/// other side, whose run fails.
///
/// Example: `tcp_source`.
template <class T> auto tcp_sink(std::string address, tcp_sink_options how = {}, options opts = {}) {
  opts.blocking = opts.on != caller_thread;
  return stages::make<net::send_stage>(net::send_items<T>{std::move(address), how}, std::move(opts));
}

}  // namespace thalweg
