/// Codecs for arrays, variants, maps, sets and smart pointers of what has a codec.
#pragma once

#include <thalweg/model/codec.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

namespace THALWEG_NAMESPACE {

/// Of what cannot travel as it is in memory; other arrays can.
template <class T, std::size_t N>
  requires(!model::plain_bytes<std::array<T, N>>)
struct codec<std::array<T, N>> {
  static constexpr bool travels = model::travels<T>();

  static std::string tag() {
    return std::string("[").append(codec<T>::tag()).append("*" + std::to_string(N) + "]");
  }
  static void write(byte_writer& to, const std::array<T, N>& all) {
    for (const auto& one : all) to(one);
  }
  static void read(byte_reader& from, std::array<T, N>& all) {
    for (auto& one : all) from(one);
  }
};

template <> struct codec<std::monostate> {
  static std::string tag() { return "-"; }
  static void write(byte_writer&, std::monostate) {}
  static void read(byte_reader&, std::monostate&) {}
};

template <class... T> struct codec<std::variant<T...>> {
  static constexpr bool travels = ((model::travels<T>() && std::is_default_constructible_v<T>)&&...);

  static std::string tag() {
    std::string all = "<";
    ((all += (all.size() == 1 ? "" : "|"), all += codec<T>::tag()), ...);
    return all + ">";
  }
  static void write(byte_writer& to, const std::variant<T...>& x) {
    if (x.valueless_by_exception())
      throw codec_error("a variant has no value, because an exception was thrown while it was assigned");
    to(static_cast<std::uint8_t>(x.index()));
    std::visit(to, x);
  }
  static void read(byte_reader& from, std::variant<T...>& x) {
    static_assert(sizeof...(T) < 256, "thalweg::codec: a variant of more than 255 types");
    std::uint8_t which = 0;
    from(which);
    if (which >= sizeof...(T))
      throw codec_error("a variant of " + std::to_string(sizeof...(T)) + " types has no number " +
                        std::to_string(which));
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (void)((I == which && (from(x.template emplace<I>()), true)) || ...);
    }(std::index_sequence_for<T...>{});
  }
};

namespace model {

/// Containers that are filled one element after the other, each of which is read as an `Element`.
template <class Container, class Element> struct codec_of_elements {
  static constexpr bool travels = model::travels<Element>() && std::is_default_constructible_v<Element>;

  static std::string tag() { return std::string("[").append(codec<Element>::tag()).append("]"); }
  static void write(byte_writer& to, const Container& all) {
    to.count(all.size());
    for (const auto& one : all) {
      if constexpr (requires { one.second; }) {
        to(one.first, one.second);
      } else {
        to(one);
      }
    }
  }
  static void read(byte_reader& from, Container& all) {
    all.clear();
    for (auto n = from.count(1); n > 0; --n) {
      Element one{};
      from(one);
      all.insert(all.end(), std::move(one));
    }
  }
};

/// Pointers that own what they point to: it travels, and the receiver has a copy of its own.
template <class Pointer, class T> struct codec_of_pointee {
  static constexpr bool travels = model::travels<T>() && std::is_default_constructible_v<T>;

  static std::string tag() { return std::string("*").append(codec<T>::tag()); }
  static void write(byte_writer& to, const Pointer& x) {
    to(x != nullptr);
    if (x) to(*x);
  }
  static void read(byte_reader& from, Pointer& x) {
    x.reset();
    std::uint8_t there = 0;
    from(there);
    if (there == 0) return;
    auto made = std::make_unique<std::remove_const_t<T>>();
    from(*made);
    x = std::move(made);
  }
};

}  // namespace model

template <class T, class A> struct codec<std::deque<T, A>> : model::codec_of_elements<std::deque<T, A>, T> {};
template <class T, class A> struct codec<std::list<T, A>> : model::codec_of_elements<std::list<T, A>, T> {};
template <class T, class... More>
struct codec<std::set<T, More...>> : model::codec_of_elements<std::set<T, More...>, T> {};
template <class T, class... More>
struct codec<std::multiset<T, More...>> : model::codec_of_elements<std::multiset<T, More...>, T> {};
template <class T, class... More>
struct codec<std::unordered_set<T, More...>> : model::codec_of_elements<std::unordered_set<T, More...>, T> {};
template <class K, class V, class... More>
struct codec<std::map<K, V, More...>> : model::codec_of_elements<std::map<K, V, More...>, std::pair<K, V>> {};
template <class K, class V, class... More>
struct codec<std::multimap<K, V, More...>>
    : model::codec_of_elements<std::multimap<K, V, More...>, std::pair<K, V>> {};
template <class K, class V, class... More>
struct codec<std::unordered_map<K, V, More...>>
    : model::codec_of_elements<std::unordered_map<K, V, More...>, std::pair<K, V>> {};
template <class T, class D>
  requires(!std::is_array_v<T>)
struct codec<std::unique_ptr<T, D>> : model::codec_of_pointee<std::unique_ptr<T, D>, T> {};
template <class T>
  requires(!std::is_array_v<T>)
struct codec<std::shared_ptr<T>> : model::codec_of_pointee<std::shared_ptr<T>, T> {};

}  // namespace THALWEG_NAMESPACE
