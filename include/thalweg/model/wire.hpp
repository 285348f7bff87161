/// `wire`: runs of items as bytes, without knowing their type.
#pragma once

#include <thalweg/model/codecs.hpp>
#include <thalweg/pipe/chunk.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <typeinfo>

namespace THALWEG_NAMESPACE::model {

/// How chunks of one item type travel from one process to another.
class wire {
 public:
  virtual ~wire() = default;
  /// What the bytes are, for two processes to compare.
  [[nodiscard]] virtual std::string tag() const = 0;
  /// Writes the items and, if they have them, their marks.
  virtual void write(byte_writer& to, pipe::chunk_base& items) const = 0;
  /// Reads `n` items, in place of what `into` holds, which says whether they are marked. Where the reader has
  /// blocks, `into` must be left as it is until they have come.
  virtual void read(byte_reader& from, std::size_t n, pipe::chunk_base& into) const = 0;
  /// How many items of the stream these are.
  [[nodiscard]] virtual std::size_t count(const pipe::chunk_base& items) const { return items.size(); }
};

/// What is known of item types that can travel, for jobs whose types have been erased.
void add_wire(const std::type_info& type, const wire& how);
void remove_wire(const std::type_info& type, const wire& how);
/// Null: no such type has been added.
const wire* wire_of(const std::type_info& type);

template <can_travel T> class typed_wire final : public wire {
  static constexpr bool plain = as_it_lies<T>();

 public:
  typed_wire() { add_wire(typeid(T), *this); }
  typed_wire(const typed_wire&) = delete;
  typed_wire& operator=(const typed_wire&) = delete;
  /// With the library that it belongs to, which may be unloaded.
  ~typed_wire() override { remove_wire(typeid(T), *this); }

  [[nodiscard]] std::string tag() const override { return tag_of<T>(); }

  void write(byte_writer& to, pipe::chunk_base& items) const override {
    auto& typed = static_cast<pipe::chunk<T>&>(items);
    const auto n = typed.size();
    if (typed.marked()) to.bytes(typed.marks(), n * sizeof(pipe::mark));
    if constexpr (plain) {
      to.block(typed.begin(), n * sizeof(T));
    } else {
      for (const auto& x : typed) codec<T>::write(to, x);
    }
  }

  void read(byte_reader& from, std::size_t n, pipe::chunk_base& into) const override {
    auto& typed = static_cast<pipe::chunk<T>&>(into);
    // Memory is got for what has come, not for what a message says that it has.
    if (const auto each = (typed.marked() ? sizeof(pipe::mark) : 0) + (plain ? sizeof(T) : 0);
        each > 0 && n > from.left() / each)
      throw codec_error(std::to_string(n) + " items should follow, but only " + std::to_string(from.left()) +
                        " bytes do");
    typed.reserve(std::min(n, from.left()));
    if (typed.marked()) {
      // Copied, as they may lie at any address.
      const auto marks = from.bytes(n * sizeof(pipe::mark));
      for (std::size_t i = 0; i < n; ++i) {
        pipe::mark m;
        std::memcpy(&m, marks.data() + i * sizeof m, sizeof m);
        typed.emplace_marked(m);
      }
      if constexpr (plain) from.block(typed.begin(), n * sizeof(T));
    } else if constexpr (plain) {
      from.block(typed.extend(n), n * sizeof(T));
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        typed.emplace();
        codec<T>::read(from, typed[i]);
      }
    }
    if constexpr (!plain) {
      if (typed.marked())
        for (auto& x : typed) codec<T>::read(from, x);
    }
  }
};

template <can_travel T> const wire& wire_for() {
  static const typed_wire<T> how;
  return how;
}

/// Makes the type known. Returns true.
template <class T> bool add_wire() {
  if constexpr (can_travel<T>) wire_for<T>();
  return true;
}

}  // namespace THALWEG_NAMESPACE::model
