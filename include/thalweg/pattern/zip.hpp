/// `zip`: several streams, item by item.
#pragma once

#include <thalweg/model/stage.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE {
namespace model {

/// Input `I` of a zip.
template <std::size_t I, class T> struct zip_input {
  template <class Owner> explicit zip_input(Owner* owner) : port(owner, "input-" + std::to_string(I)) {}
  thalweg::in<T> port;
};

template <class Numbers, class... T> struct zip_inputs;
template <std::size_t... I, class... T>
struct zip_inputs<std::index_sequence<I...>, T...> : zip_input<I, T>... {
  template <class Owner> explicit zip_inputs(Owner* owner) : zip_input<I, T>(owner)... {}
};

}  // namespace model

/// Puts streams side by side: the n-th result is a `std::tuple` of the n-th items of all inputs, which are
/// `input<0>()`, `input<1>()`, and so on. It ends with the shortest stream; further items of the others are
/// discarded. So a source without an end, beside one with an end, keeps the run going until it is stopped.
///
/// A stream that is ahead is not read and pushes back: nothing is held here.
///
/// Order: deterministic, if that of the inputs is. Threads: serial. Under paced sources a result has the
/// latest of the due times of its items. It cannot be between a split and an ordered merge.
///
/// Errors: an input that is not connected is an `invalid_job`.
///
/// ```cpp
/// std::vector<std::tuple<std::string, int>> seen;
/// tw::graph g;
/// auto& z = g.add<tw::zip<std::string, int>>();
/// g.connect(g.add(tw::source(std::vector<std::string>{"a", "b", "c"})).out, z.input<0>());
/// g.connect(g.add(tw::source(std::vector{1, 2})).out, z.input<1>());
/// g.connect(z.out, g.add(tw::sink(seen)).in);
/// tw::run(g);
/// assert((seen == std::vector<std::tuple<std::string, int>>{{"a", 1}, {"b", 2}}));
/// ```
template <class... T> class zip final : public stage {
  static_assert(sizeof...(T) >= 2,
                "thalweg::zip: name the types of at least two streams, as in zip<int, text>");

 public:
  using item_type = std::tuple<T...>;

  /// Where the results go.
  thalweg::out<item_type> out{this, "out"};

  /// Input `I`, called `input-I`.
  template <std::size_t I> auto& input() noexcept {
    static_assert(I < sizeof...(T), "thalweg::zip: there are only as many inputs as types, numbered from 0");
    return static_cast<model::zip_input<I, std::tuple_element_t<I, item_type>>&>(inputs_).port;
  }

  void on_run() override { each(numbers{}); }

 private:
  using numbers = std::index_sequence_for<T...>;

  template <std::size_t... I> void each(std::index_sequence<I...>) {
    while ((input<I>().available() && ...)) {
      auto due = std::numeric_limits<std::int64_t>::min();
      item_type all{take<I>(due)...};  // in this order, because of the braces
      this->context().due = due;
      out.send(std::move(all));
    }
    if ((input<I>().ended() || ...)) this->end();
  }
  template <std::size_t I> auto take(std::int64_t& due) {
    auto item = input<I>().take();
    due = std::max(due, this->context().due);
    return item;
  }

  model::zip_inputs<numbers, T...> inputs_{this};
};

}  // namespace THALWEG_NAMESPACE
