// FastFlow's nodes made of a source, a stage and a sink. Nodes pass pointers: items live on the heap, or, as
// FastFlow's experts do with integers, in the pointer itself.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <ff/ff.hpp>

namespace micro {

/// Items on the heap.
template <class T> struct on_heap {
  using node = T;
  static T* wrap(T item) { return new T(std::move(item)); }
  static T unwrap(T* pointer) {
    const std::unique_ptr<T> owner(pointer);
    return std::move(*pointer);
  }
};

/// Integers as pointers. Zero and the largest values mean something else to FastFlow; no program here has
/// them.
struct in_pointer {
  using node = void;
  static void* wrap(std::uint64_t item) { return reinterpret_cast<void*>(item); }
  static std::uint64_t unwrap(void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }
};

template <class Passing, class Source> class source_node final : public ff::ff_node {
 public:
  explicit source_node(Source& source) : source_(source) {}
  void* svc(void*) override {
    auto item = source_();
    return item ? Passing::wrap(*std::move(item)) : EOS;
  }

 private:
  Source& source_;
};

template <class Passing, class Work> class work_node final : public ff::ff_node {
 public:
  explicit work_node(Work& work) : work_(work) {}
  void* svc(void* item) override {
    return Passing::wrap(work_(Passing::unwrap(static_cast<typename Passing::node*>(item))));
  }

 private:
  Work& work_;
};

template <class Passing, class Sink> class sink_node final : public ff::ff_node {
 public:
  explicit sink_node(Sink& sink) : sink_(sink) {}
  void* svc(void* item) override {
    sink_(Passing::unwrap(static_cast<typename Passing::node*>(item)));
    return GO_ON;
  }

 private:
  Sink& sink_;
};

/// Calls `with` the way of passing items: on the heap if asked for, or if they are no integers.
template <class Item, class With> void passing(bool heap, With&& with) {
  if constexpr (std::is_same_v<Item, std::uint64_t>) {
    if (!heap) return with(in_pointer{});
  }
  with(on_heap<Item>{});
}

}  // namespace micro
