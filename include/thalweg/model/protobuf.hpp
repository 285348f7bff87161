/// Items that are messages of protobuf, as their own bytes. Not part of <thalweg/thalweg.hpp>; needs protobuf
/// 3 or later (tested with 3.21), the full library or the lite one.
#pragma once

#include <thalweg/model/codec.hpp>

#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <string>

#include <google/protobuf/message_lite.h>

namespace THALWEG_NAMESPACE {

/// A message that protoc has generated travels as what protobuf serialises. It is copied. Alone, over TCP and
/// through Kafka, an item is these bytes and nothing else, so other programs can read and write the topic; in
/// other items, and between ranks, the length is in front.
///
/// ```c++
/// #include <thalweg/model/protobuf.hpp>
/// #include "reading.pb.h"  // message Reading { string sensor = 1; double value = 2; }
///
/// tw::run(tw::kafka_source<Reading>(readings) | tw::sink([](const Reading& x) { show(x.value()); }));
/// ```
///
/// Both sides of a connection have to have a message of the same full name: it is the tag. Their definitions
/// may differ, as protobuf allows: fields that one side does not know are kept.
///
/// \throws codec_error  that names the message: if bytes do not parse, if required fields (of proto2) are not
/// set, on either side, and for messages that are longer than protobuf allows, 2 GiB
template <std::derived_from<google::protobuf::MessageLite> T> struct codec<T> {
  static std::string tag() { return "protobuf " + name(); }

  static void write(byte_writer& to, const T& x) {
    const auto bytes = serialised(x);
    to.count(bytes.size());
    to.bytes(bytes.data(), bytes.size());
  }
  static void write_alone(byte_writer& to, const T& x) {
    const auto bytes = serialised(x);
    to.bytes(bytes.data(), bytes.size());
  }

  static void read(byte_reader& from, T& x) {
    const auto n = from.count(1);
    parse(from.bytes(n), x);
  }
  static void read_alone(byte_reader& from, T& x) { parse(from.bytes(from.left()), x); }

 private:
  static std::string name() { return std::string(T::default_instance().GetTypeName()); }

  // Asked first, as protobuf itself would write to stderr.
  static void check_required(const T& x) {
    if (!x.IsInitialized())
      throw codec_error(name() + " lacks required fields: " + x.InitializationErrorString());
  }
  static std::string serialised(const T& x) {
    check_required(x);
    std::string bytes;
    if (!x.SerializePartialToString(&bytes)) throw codec_error(name() + " cannot be serialised by protobuf");
    return bytes;
  }
  static void parse(std::span<const std::byte> bytes, T& x) {
    const auto n = bytes.size();
    if (n > std::numeric_limits<int>::max() || !x.ParsePartialFromArray(bytes.data(), static_cast<int>(n)))
      throw codec_error(std::to_string(n) + " bytes are no " + name() + " of protobuf");
    check_required(x);
  }
};

}  // namespace THALWEG_NAMESPACE
