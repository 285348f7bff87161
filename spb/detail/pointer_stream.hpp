/// Streams of pointers. What items hold is known to the application's own file only: benchmark programs have
/// no use for it, and need neither its headers nor the C++ that these are written in. Copies of an item share
/// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "spb/detail/plain_stream.hpp"

namespace spb::detail {

/// An application's source, which gives pointers. `Element`: what they point to.
template <class Source, class Element = typename decltype(std::declval<Source&>()())::value_type>
struct pointer_source {
  Source next;

  std::optional<std::shared_ptr<Element>> operator()() {
    auto one = next();
    if (!one) return std::nullopt;
    return std::make_shared<Element>(std::move(*one));
  }
  bool ready_by(std::int64_t until_ns)
    requires requires { next.ready_by(until_ns); }
  {
    return next.ready_by(until_ns);
  }
  [[nodiscard]] std::int64_t due_ns() const
    requires requires { next.due_ns(); }
  {
    return next.due_ns();
  }
};

/// Its sink, which takes them.
template <class Sink> struct pointer_sink {
  Sink write;

  template <class Element> void operator()(const std::shared_ptr<Element>& done) { write(*done); }
  void close() { write.close(); }
};

/// The stream of an application whose items hold pointers.
template <class Item, class Source, class Sink>
class pointer_stream : public plain_stream<Item, pointer_source<Source>, pointer_sink<Sink>> {
 public:
  void open(Source source, Sink sink) {
    plain_stream<Item, pointer_source<Source>, pointer_sink<Sink>>::open({std::move(source)},
                                                                         {std::move(sink)});
  }
};

/// Applies an operator to what each element of an item points to.
template <class Item, class F> void work_behind_pointers(std::size_t operation, Item& item, F&& f) {
  work_on_each(operation, item, [&](auto element) {
    *element = f(std::move(*element));
    return element;
  });
}

}  // namespace spb::detail
