#pragma once

#include <thalweg/model/codec.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

/// How items travel between ranks: each element by `Codec`, which writes and reads one. Of elements that are
/// pointers what they point to travels.
template <class Item, class Codec> struct item_codec_by {
  using element = std::remove_cvref_t<decltype(*std::declval<Item&>().begin())>;

  static std::string tag() { return "items of " + Codec::tag(); }
  static void write(thalweg::byte_writer& to, const Item& item) {
    to(item.timestamp, item.batch_index);
    to.count(item.size());
    for (const auto& one : item) {
      if constexpr (requires { *one; }) {
        static const typename element::element_type none;  // what an operator has left that has failed
        Codec::write(to, one ? *one : none);
      } else {
        Codec::write(to, one);
      }
    }
  }
  static void read(thalweg::byte_reader& from, Item& item) {
    from(item.timestamp, item.batch_index);
    for (auto left = from.count(1); left > 0; --left) {
      element one;
      if constexpr (requires { *one; }) {
        one = std::make_shared<typename element::element_type>();
        Codec::read(from, *one);
      } else {
        Codec::read(from, one);
      }
      item.append(std::move(one));
    }
  }
};

/// The same for elements of which the members travel that are named.
///
/// ```cpp
/// using apps::mandelbrot::line;
/// template <> struct thalweg::codec<spb::Item> : item_codec<spb::Item, &line::number, &line::pixels> {};
/// ```
template <class Item, auto... Members>
struct item_codec : item_codec_by<Item, thalweg::codec_of_members<Members...>> {};
