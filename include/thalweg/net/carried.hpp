// The patterns of streams from and to other processes: the part that all carriers share.
#pragma once

#include <thalweg/model/codec.hpp>
#include <thalweg/net/carrier.hpp>
#include <thalweg/pattern/sink.hpp>
#include <thalweg/stages/building.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE::net {

/// The tag of the items of a stream: that of their type, unless `Open` has another.
template <class T, class Open> std::string tag_for(const Open& open) {
  if constexpr (requires { open.tag(); })
    return open.tag();
  else
    return tag_of<T>();
}

/// The operator of a source. `Open` has `pattern`, the name of the stage, `where()`, a text, and makes an
/// `incoming` of items with a tag. It may have `item(incoming&, bytes)`, which makes an item from the bytes.
template <class T, class Open> struct receive_items {
  static constexpr auto pattern = Open::pattern;
  Open open;
  stages::unshared<incoming> from{};
  std::optional<std::span<const std::byte>> in_hand{};  // an item that could not be read may be tried again

  void check(model::stage_info& info) const {
    if constexpr (requires { open.check(info); }) open.check(info);
  }
  std::optional<T> next(const std::stop_token& stop) {
    if (!from) from = open(tag_for<T>(open));
    from->interrupt_on(stop);
    if (!in_hand) in_hand = from->next();
    if (!in_hand) {
      on_end();
      return {};
    }
    auto item = decoded();
    in_hand.reset();
    return item;
  }
  // A stopped source tells the sender at once, not when the run is destroyed.
  void on_end() {
    if (from && !from->ended()) from->close("the receiver's stream has ended");
  }
  // Without an item in hand there is nothing to pass over: the stream itself is broken.
  bool give_up() {
    const bool is_item = in_hand.has_value();
    if (is_item) from->passed_over();
    in_hand.reset();
    return is_item;
  }

 private:
  T decoded() const {
    try {
      if constexpr (requires { open.item(*from, *in_hand); })
        return open.item(*from, *in_hand);
      else
        return decode<T>(*in_hand);
    } catch (const codec_error& e) {
      throw codec_error(from->place() + ": " + e.what());
    }
  }
};

struct item_outgoing {
  std::unique_ptr<outgoing> to;
  std::vector<std::byte> bytes{};  // of the item in hand
};

/// The operator of a sink. `Open` has `pattern`, `check(info)`, and makes an `outgoing` of items with a tag.
/// It may have `send(outgoing&, item, room)`, which sends an item; `room` is memory for its bytes. With
/// `waited_for` it is opened before the sources begin, and must not wait for that: another process does.
template <class T, class Open> struct send_items {
  static constexpr auto pattern = Open::pattern;
  static constexpr bool begins_first = requires { requires Open::waited_for; };
  Open open;
  stages::unshared<item_outgoing> out{};

  void check(model::stage_info& info) const { open.check(info); }
  void on_start() { out = std::make_unique<item_outgoing>(item_outgoing{open(tag_for<T>(open))}); }
  void operator()(const T& item) {
    bool taken = false;
    if constexpr (requires { open.send(*out->to, item, out->bytes); }) {
      taken = open.send(*out->to, item, out->bytes);
    } else {
      encode(item, out->bytes);
      taken = out->to->send(out->bytes);
    }
    if (!taken) throw cancelled{};
  }
  void on_end() { out->to->end(); }
};

template <class In, class F> struct send_op : model::sink_op<In, F> {
  template <class Frame, class T> void step(Frame& f, T&& item) {
    this->fn.out->to->interrupt_on(f.ctx.stop);
    model::sink_op<In, F>::step(f, std::forward<T>(item));
  }
  // A source that ends because of a cancel must not look like the end of the stream.
  template <class Frame, class Next> void finish(Frame& f, Next& next) {
    this->fn.out->to->interrupt_on(f.ctx.stop);
    model::sink_op<In, F>::finish(f, next);
  }
};

template <class Fn> struct send_stage : model::stage_defaults, model::function_stage<send_op, Fn> {
  static constexpr bool is_sink = true;
  static constexpr bool one_to_one = true;
  static constexpr bool begins_first = Fn::begins_first;
  using wants = model::first_argument_t<Fn>;
  template <class In> static constexpr bool accepts = std::invocable<Fn&, const In&>;
  template <class In>
  static constexpr bool accepts_shared = [] {
    static_assert(std::is_void_v<In>,
                  "thalweg::tcp_sink, kafka_sink and mqtt_sink: replicas cannot share a connection: put it "
                  "behind the tw::farm");
    return false;
  }();
  template <class In> using output = model::nothing;
};

/// The stages wait for others, so each has its own thread, unless it is on the caller's.
template <class T, class Open> auto receive(Open open, options opts) {
  opts.blocking = opts.on != caller_thread;
  return stages::make<stages::read_stage>(receive_items<T, Open>{std::move(open)}, std::move(opts));
}
template <class T, class Open> auto send(Open open, options opts) {
  opts.blocking = opts.on != caller_thread;
  return stages::make<send_stage>(send_items<T, Open>{std::move(open)}, std::move(opts));
}

}  // namespace THALWEG_NAMESPACE::net
