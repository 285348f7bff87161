#include "label.hpp"

#include <thalweg/model/codec.hpp>
#include <thalweg/net/address.hpp>

#include "../protocol.hpp"

namespace THALWEG_NAMESPACE::net::kafka {

namespace {

constexpr std::size_t label_size = 17;

}  // namespace

std::vector<std::byte> packed(const label& one) {
  std::vector<std::byte> bytes;
  protocol::put(bytes, static_cast<std::uint8_t>(one.is));
  protocol::put(bytes, one.stream);
  protocol::put(bytes, one.number);
  return bytes;
}

label label_in(std::span<const std::byte> header) {
  if (header.size() != label_size || header[0] > static_cast<std::byte>(kind::gave_up))
    throw network_error("its header '" + std::string(label_name) + "' was not written by Thalweg");
  const auto stream = protocol::number_at<std::uint64_t>(header.subspan(1));
  if (stream == 0) throw network_error("its header '" + std::string(label_name) + "' names no stream");
  return {static_cast<kind>(header[0]), stream, protocol::number_at<std::uint64_t>(header.subspan(9))};
}

std::vector<std::byte> packed(const beginning& said) {
  std::vector<std::byte> bytes;
  byte_writer to(bytes);
  to(said.tag, said.name, said.clock, said.wall_ahead_ns);
  return bytes;
}

beginning beginning_in(std::span<const std::byte> message) {
  beginning said;
  byte_reader from(message);
  from(said.tag, said.name, said.clock, said.wall_ahead_ns);
  return said;
}

}  // namespace THALWEG_NAMESPACE::net::kafka
