/// `codec`: items as bytes, for what carries them out of the process.
#pragma once

#include <thalweg/model/errors.hpp>
#include <thalweg/model/plain.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

template <class T> struct codec;

/// Bytes that are not what they should be: cut off, too many, or of a size that cannot be.
struct codec_error : error {
  using error::error;
};

/// Parts of items that are at least this long need not be copied on their way: see `byte_writer::block`.
inline constexpr std::size_t least_block = 8192;  // bytes

/// Where a codec writes to: a vector, behind what it holds.
class byte_writer {
 public:
  explicit byte_writer(std::vector<std::byte>& to) : to_(&to) {}
  /// Blocks are not copied but listed in `blocks`: they have to stay where they are until they have been
  /// sent.
  byte_writer(std::vector<std::byte>& to, std::vector<std::span<const std::byte>>& blocks)
      : to_(&to), blocks_(&blocks) {}

  void bytes(const void* from, std::size_t n);
  /// Bytes that belong to the item and may be sent from where they lie. What is written by `block` has to be
  /// read by `byte_reader::block`, in pieces of the same lengths.
  void block(const void* from, std::size_t n);
  /// Writes values one behind the other, each by its codec.
  template <class... T> void operator()(const T&... values) { (codec<T>::write(*this, values), ...); }
  /// Writes how many elements follow. \throws codec_error  if they are more than 32 bits can tell
  void count(std::size_t n);

 private:
  std::vector<std::byte>* to_;
  std::vector<std::span<const std::byte>>* blocks_ = nullptr;
};

/// Where a codec reads from. \throws codec_error  if more is asked for than there is
class byte_reader {
 public:
  explicit byte_reader(std::span<const std::byte> from) : left_(from) {}
  /// Blocks, of `more` bytes in all, are still to come: where they belong is listed in `blocks`.
  byte_reader(std::span<const std::byte> from, std::size_t more, std::vector<std::span<std::byte>>& blocks)
      : left_(from), more_(more), blocks_(&blocks) {}

  std::span<const std::byte> bytes(std::size_t n) {
    if (n > left_.size()) fail(n);
    const auto taken = left_.first(n);
    left_ = left_.subspan(n);
    return taken;
  }
  /// Bytes written by `byte_writer::block`, to where they belong: memory of the item that stays in its place
  /// when the item is moved, as that of a vector does. Returns whether they are there already: if not, they
  /// come when all of the item has been read.
  bool block(void* to, std::size_t n);
  /// Reads values one behind the other, each by its codec.
  template <class... T> void operator()(T&... values) { (codec<T>::read(*this, values), ...); }
  /// How many elements follow, of at least `size` bytes each.
  std::size_t count(std::size_t size);
  [[nodiscard]] std::size_t left() const noexcept { return left_.size() + more_; }

 private:
  [[noreturn]] void fail(std::size_t n) const;

  std::span<const std::byte> left_;
  std::size_t more_ = 0;
  std::vector<std::span<std::byte>>* blocks_ = nullptr;
};

namespace model {

std::string tag_of_number(char kind, std::size_t size);
std::string tag_of_bytes(const std::type_info& type, std::size_t size);

template <class T> std::string tag_of_plain() {
  if constexpr (std::is_enum_v<T>) {
    return tag_of_plain<std::underlying_type_t<T>>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return "bool";
  } else if constexpr (std::is_integral_v<T>) {
    return tag_of_number(std::is_signed_v<T> ? 'i' : 'u', sizeof(T));
  } else if constexpr (std::is_floating_point_v<T>) {
    return tag_of_number('f', sizeof(T));
  } else {
    return tag_of_bytes(typeid(T), sizeof(T));
  }
}

}  // namespace model

/// How items of a type become bytes and back: the point to customise. There are codecs for what is trivially
/// copyable and has no pointers (its bytes as they are in memory), for strings, and for vectors, optionals,
/// pairs and tuples of what has a codec. For a type of your own, name the members that travel:
///
/// ```c++
/// struct reading { std::string sensor; double value = 0; };
/// template <> struct tw::codec<reading> : tw::codec_of_members<&reading::sensor, &reading::value> {};
/// ```
///
/// or write all of it: `tag()` names what the bytes are, and both sides of a connection must have the same;
/// `read` gets an item as its default constructor makes it, and reads what `write` has written.
///
/// ```c++
/// struct celsius { double degrees = 0; };
/// template <> struct tw::codec<celsius> {
///   static std::string tag() { return "celsius, in thousandths"; }
///   static void write(tw::byte_writer& to, const celsius& x) { to(static_cast<std::int32_t>(x.degrees *
///   1000)); } static void read(tw::byte_reader& from, celsius& x) {
///     std::int32_t thousandths = 0;
///     from(thousandths);
///     x.degrees = thousandths / 1000.0;
///   }
/// };
/// ```
///
/// A codec may also have `write_alone` and `read_alone`, with the same parameters, for an item that is all
/// there is: what `encode` writes, and so what is sent over TCP and what a message of Kafka holds. There the
/// end of the bytes is the end of the item, so a format that other programs know needs no length in front.
template <class T> struct codec {
  static constexpr bool as_it_lies = model::plain_bytes<T>;
  static constexpr bool travels = as_it_lies;
  static std::string tag() {
    static_assert(model::plain_bytes<T>,
                  "thalweg::codec: an item of this type cannot travel as it is in memory, since it is not "
                  "trivially copyable or has a pointer or a view in it: specialise thalweg::codec for "
                  "it, for example with thalweg::codec_of_members");
    return model::tag_of_plain<T>();
  }
  static void write(byte_writer& to, const T& x) { to.bytes(&x, sizeof x); }
  static void read(byte_reader& from, T& x) {
    std::memcpy(static_cast<void*>(&x), from.bytes(sizeof x).data(), sizeof x);
  }
};

namespace model {

/// Whether the bytes of such an item are those it has in memory.
template <class T> constexpr bool as_it_lies() {
  if constexpr (requires { codec<T>::as_it_lies; }) return codec<T>::as_it_lies;
  return false;
}

template <class T> constexpr bool travels() {
  if constexpr (requires { codec<T>::travels; }) return codec<T>::travels;
  return true;
}

}  // namespace model

/// An item that has a codec.
template <class T>
concept can_travel = model::travels<T>() && std::is_default_constructible_v<T>;

template <class Traits, class Alloc> struct codec<std::basic_string<char, Traits, Alloc>> {
  static std::string tag() { return "text"; }
  static void write(byte_writer& to, const std::basic_string<char, Traits, Alloc>& text) {
    to.count(text.size());
    to.block(text.data(), text.size());
  }
  static void read(byte_reader& from, std::basic_string<char, Traits, Alloc>& text) {
    text.resize(from.count(1));
    from.block(text.data(), text.size());
  }
};

template <class T, class Alloc> struct codec<std::vector<T, Alloc>> {
  static constexpr bool plain = model::as_it_lies<T>();
  static constexpr bool travels = model::travels<T>();

  static std::string tag() { return std::string("[").append(codec<T>::tag()).append("]"); }
  static void write(byte_writer& to, const std::vector<T, Alloc>& all) {
    to.count(all.size());
    if constexpr (plain) {
      to.block(all.data(), all.size() * sizeof(T));
    } else {
      for (const auto& one : all) to(one);
    }
  }
  static void read(byte_reader& from, std::vector<T, Alloc>& all) {
    const auto n = from.count(plain ? sizeof(T) : 1);
    all.clear();
    all.resize(n);
    if constexpr (plain) {
      from.block(all.data(), n * sizeof(T));
    } else {
      for (auto& one : all) from(one);
    }
  }
};

/// It has no bools that could be written one by one: eight of its bits to a byte, the first in the lowest.
template <class Alloc> struct codec<std::vector<bool, Alloc>> {
  static std::string tag() { return "[bit]"; }
  static void write(byte_writer& to, const std::vector<bool, Alloc>& all) {
    to.count(all.size());
    for (std::size_t i = 0; i < all.size(); i += 8) {
      unsigned eight = 0;
      for (std::size_t k = 0; k < std::min<std::size_t>(8, all.size() - i); ++k)
        eight |= unsigned{all[i + k]} << k;
      to(static_cast<std::uint8_t>(eight));
    }
  }
  static void read(byte_reader& from, std::vector<bool, Alloc>& all) {
    std::uint32_t n = 0;
    from(n);
    const auto eights = from.bytes((std::size_t{n} + 7) / 8);
    all.assign(n, false);
    for (std::size_t i = 0; i < n; ++i)
      all[i] = ((std::to_integer<unsigned>(eights[i / 8]) >> i % 8) & 1U) != 0;
  }
};

template <class T> struct codec<std::optional<T>> {
  static constexpr bool travels = model::travels<T>();
  static std::string tag() { return std::string("?").append(codec<T>::tag()); }
  static void write(byte_writer& to, const std::optional<T>& x) {
    to(x.has_value());
    if (x) to(*x);
  }
  static void read(byte_reader& from, std::optional<T>& x) {
    x.reset();
    std::uint8_t there = 0;  // a bool of another value would be none
    from(there);
    if (there != 0) from(x.emplace());
  }
};

template <class... T> struct codec<std::tuple<T...>> {
  static constexpr bool travels = (model::travels<T>() && ...);
  static std::string tag() {
    std::string all = "{";
    ((all += (all.size() == 1 ? "" : ","), all += codec<T>::tag()), ...);
    return all + "}";
  }
  static void write(byte_writer& to, const std::tuple<T...>& x) { std::apply(to, x); }
  static void read(byte_reader& from, std::tuple<T...>& x) { std::apply(from, x); }
};

template <class A, class B> struct codec<std::pair<A, B>> {
  static constexpr bool travels = model::travels<A>() && model::travels<B>();
  static std::string tag() { return codec<std::tuple<A, B>>::tag(); }
  static void write(byte_writer& to, const std::pair<A, B>& x) { to(x.first, x.second); }
  static void read(byte_reader& from, std::pair<A, B>& x) { from(x.first, x.second); }
};

/// A codec by members, in the order in which they are named; the others stay as the type's default
/// constructor leaves them. See `codec`.
template <auto... Members> struct codec_of_members {
  template <class T, class M> static M type_of(M T::*);

  static std::string tag() { return codec<std::tuple<decltype(type_of(Members))...>>::tag(); }
  template <class T> static void write(byte_writer& to, const T& x) { to((x.*Members)...); }
  template <class T> static void read(byte_reader& from, T& x) { from((x.*Members)...); }
};

namespace model {

/// A codec that leaves something out where an item is alone.
template <class T>
concept has_codec_alone = requires(byte_writer& to, byte_reader& from, const T& written, T& read) {
  codec<T>::write_alone(to, written);
  codec<T>::read_alone(from, read);
};

}  // namespace model

/// What the bytes of such an item are, for two processes to compare.
template <class T> std::string tag_of() {
  return codec<T>::tag() + (std::endian::native == std::endian::little ? "" : ", big-endian");
}

/// An item's bytes, in place of what `into` holds.
template <class T> void encode(const T& item, std::vector<std::byte>& into) {
  into.clear();
  byte_writer to(into);
  if constexpr (model::has_codec_alone<T>)
    codec<T>::write_alone(to, item);
  else
    codec<T>::write(to, item);
}

/// The item of which these are all bytes. \throws codec_error  if they are not
template <class T> T decode(std::span<const std::byte> bytes) {
  T item{};
  byte_reader from(bytes);
  if constexpr (model::has_codec_alone<T>)
    codec<T>::read_alone(from, item);
  else
    codec<T>::read(from, item);
  if (from.left() != 0) throw codec_error("an item has " + std::to_string(from.left()) + " bytes too many");
  return item;
}

}  // namespace THALWEG_NAMESPACE
