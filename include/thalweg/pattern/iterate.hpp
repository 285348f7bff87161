/// `iterate`: works on an item until it is done.
#pragma once

#include <thalweg/pattern/map.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE {

/// How often an item may go round.
struct iterate_options {
  /// At most this many rounds for an item; one more is the error `loop_overflow`.
  std::int64_t limit = std::numeric_limits<std::int64_t>::max();
};

namespace model {

void overflow(std::int64_t limit);  // throws loop_overflow

/// The loop as an operator of a map: shared by the replicas of a farm if its parts can be called as const.
template <class Body, class Done> struct iteration {
  Body body;
  Done done;
  std::int64_t limit;

  template <class T>
    requires std::is_invocable_r_v<T, Body&, T> && std::predicate<Done&, const T&>
  T operator()(T item, const std::stop_token& stop) {
    return loop(body, done, std::move(item), stop);
  }
  template <class T>
    requires std::is_invocable_r_v<T, const Body&, T> && std::predicate<const Done&, const T&>
  T operator()(T item, const std::stop_token& stop) const {
    return loop(body, done, std::move(item), stop);
  }

  void validate() {
    if (is_null_callable(body)) throw error("its body is null: there is nothing to call");
    if (is_null_callable(done)) throw error("its done function is null: there is nothing to call");
    if (limit < 0) throw error(".limit is negative");
    if constexpr (requires { body.validate(); }) body.validate();
  }
  void on_start()
    requires has_start_hook<Body>
  {
    body.on_start();
  }
  void on_start() const
    requires has_start_hook<const Body>
  {
    body.on_start();
  }
  void on_end()
    requires requires(Body& b) { b.on_end(); }
  {
    body.on_end();
  }
  void on_end() const
    requires requires(const Body& b) { b.on_end(); }
  {
    body.on_end();
  }

 private:
  template <class B, class D, class T> T loop(B& b, D& d, T item, const std::stop_token& stop) const {
    for (std::int64_t round = 0; !std::invoke(d, std::as_const(item)); ++round) {
      if (round == limit) overflow(limit);
      if (stop.stop_requested()) throw cancelled{};
      item = std::invoke(b, std::move(item));
    }
    return item;
  }
};

template <class Body, class Done> struct iterate_stage : map_stage<iteration<Body, Done>> {
  static constexpr auto pattern = "iterate";
  using wants = first_argument_t<Body>;
};

}  // namespace model

/// Works on each item until it is done: the result is that of `while (!done(item)) item =
/// body(std::move(item));`, with `body(T) -> T` and `done(const T&) -> bool`. With `{.limit = n}` an item
/// that is not done after n rounds is an error (`loop_overflow`, out of `run` as a `stage_error` that names
/// the stage).
///
/// Order: deterministic. In a farm items that take many rounds do not hold up the others, and results still
/// come in the order of the items; `body` and `done` must then be callable as const.
///
/// Errors: as for `map`. A `cancel()` ends the loop between two rounds.
///
/// ```cpp
/// std::vector<int> seen;
/// auto root_of_digits = tw::iterate([](int x) { return x / 10 + x % 10; }, [](int x) { return x < 10; });
/// tw::run(tw::source(std::vector{7, 38, 1999}) | tw::farm(root_of_digits) | tw::sink(seen));
/// assert((seen == std::vector{7, 2, 1}));
/// ```
template <class Body, class Done>
auto iterate(Body body, Done done, iterate_options what, options opts = {}) {
  return model::make_pipeline(model::iterate_stage<Body, Done>{
      {{}, {{std::move(body), std::move(done), what.limit}, std::move(opts)}}});
}
template <class Body, class Done> auto iterate(Body body, Done done, options opts = {}) {
  return iterate(std::move(body), std::move(done), iterate_options{}, std::move(opts));
}

}  // namespace THALWEG_NAMESPACE
