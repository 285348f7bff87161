/// Items that are buffers of FlatBuffers, read where they lie. Not part of <thalweg/thalweg.hpp>; needs the
/// headers of FlatBuffers 2 or later.
#pragma once

#include <thalweg/model/codec.hpp>
#include <thalweg/model/plan.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <flatbuffers/flatbuffers.h>

namespace THALWEG_NAMESPACE {

/// A finished buffer whose root is a table `T` that flatc has generated. What is read is what was written:
/// nothing is unpacked. Nothing changes a buffer, so copies share it, also between threads.
///
/// ```c++
/// #include <thalweg/model/flatbuffers.hpp>
/// #include "order_generated.h"  // table Order { customer: string; amount: double; }
///
/// tw::flat<Order> order_of(const std::string& customer, double amount) {
///   flatbuffers::FlatBufferBuilder builder;
///   builder.Finish(CreateOrderDirect(builder, customer.c_str(), amount));
///   return tw::flat<Order>(builder.Release());
/// }
/// tw::map([](const tw::flat<Order>& order) { return order->amount(); })
/// ```
///
/// It travels as it is: from 8 KiB on it is sent from where it lies and received into its place. Alone, over
/// TCP and through Kafka, an item is the buffer and nothing else. What has come is verified before it is
/// read.
template <class T> class flat {
 public:
  /// Holds nothing: `get` gives null.
  flat() = default;
  /// Takes a finished buffer that this program has made, which is not verified.
  explicit flat(flatbuffers::DetachedBuffer finished) {
    if (finished.size() > 0) held_ = std::make_shared<held>(std::move(finished));
  }
  /// A copy of a buffer of unknown origin. \throws codec_error  if it is no `T`
  explicit flat(std::span<const std::byte> bytes) : held_(std::make_shared<held>(bytes.size())) {
    if (!bytes.empty()) std::memcpy(held_->received.get(), bytes.data(), bytes.size());
    held_->verify();
  }

  /// The root; null if it holds nothing.
  /// \throws codec_error  if the buffer came from another rank as a block, and is no `T`
  [[nodiscard]] const T* get() const {
    if (!held_) return nullptr;
    if (!held_->verified.load(std::memory_order_acquire)) held_->verify();
    return flatbuffers::GetRoot<T>(held_->data());
  }
  const T* operator->() const { return get(); }
  const T& operator*() const { return *get(); }
  explicit operator bool() const noexcept { return held_ != nullptr; }

  /// The buffer as it is; none if it holds nothing.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    if (!held_) return {};
    return {reinterpret_cast<const std::byte*>(held_->data()), held_->size()};
  }
  /// For the bounds on what is in flight: each copy counts the buffer that it shares.
  [[nodiscard]] std::size_t size_of() const noexcept { return sizeof *this + bytes().size(); }

 private:
  friend struct codec<flat>;

  struct held {
    explicit held(flatbuffers::DetachedBuffer finished) : made(std::move(finished)), verified(true) {}
    explicit held(std::size_t bytes)
        : received(std::make_unique_for_overwrite<std::uint8_t[]>(bytes)), n(bytes) {}

    [[nodiscard]] const std::uint8_t* data() const noexcept {
      return received ? received.get() : made.data();
    }
    [[nodiscard]] std::size_t size() const noexcept { return received ? n : made.size(); }

    void verify() {
      // The verifier's own limit is made for small buffers. The smallest table takes eight bytes, with the
      // offset by which it is found; those that are found twice count twice.
      constexpr std::size_t usual_tables = 1'000'000;
      const auto tables = static_cast<flatbuffers::uoffset_t>(std::max(usual_tables, size() / 8));
      constexpr flatbuffers::uoffset_t deepest = 64;
      if (size() >= FLATBUFFERS_MAX_BUFFER_SIZE ||
          !flatbuffers::Verifier(data(), size(), deepest, tables).VerifyBuffer<T>(nullptr))
        throw codec_error(std::to_string(size()) + " bytes are no " + model::type_name(typeid(T)) +
                          " of FlatBuffers");
      verified.store(true, std::memory_order_release);
    }

    flatbuffers::DetachedBuffer made;
    std::unique_ptr<std::uint8_t[]> received;
    std::size_t n = 0;
    std::atomic<bool> verified{false};
  };

  std::shared_ptr<held> held_;
};

template <class T> struct codec<flat<T>> {
  static std::string tag() { return "flatbuffer " + model::type_name(typeid(T)); }

  static void write(byte_writer& to, const flat<T>& x) {
    to.count(x.bytes().size());
    write_alone(to, x);
  }
  static void write_alone(byte_writer& to, const flat<T>& x) { to.block(x.bytes().data(), x.bytes().size()); }

  /// A block comes only later: it is verified when it is first read.
  /// \throws codec_error  if what is there already is no `T`
  static void read(byte_reader& from, flat<T>& x) { read_bytes(from, x, from.count(1)); }
  static void read_alone(byte_reader& from, flat<T>& x) { read_bytes(from, x, from.left()); }

 private:
  static void read_bytes(byte_reader& from, flat<T>& x, std::size_t n) {
    x.held_.reset();
    if (n == 0) return;
    x.held_ = std::make_shared<typename flat<T>::held>(n);
    if (from.block(x.held_->received.get(), n)) x.held_->verify();
  }
};

}  // namespace THALWEG_NAMESPACE
