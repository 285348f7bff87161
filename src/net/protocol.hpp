// What goes over a connection. All numbers are little-endian.
//
// Both sides begin with the magic bytes, the version (32 bits) and the size (32 bits) of what follows. The
// sender: a random number for its stream (64 bits), the tag of its items, its name, and the name of its clock
// (empty if it does not tell the time). The receiver, once it wants items: the number of the first one that
// it has not got (64 bits) and an empty text; or a text that says why it refuses; and how often it will ask
// for the time (32 bits). Texts have their size (32 bits) before them. To ask for the time is to send 64 bits
// of any kind. The answer is the sender's monotonic clock in nanoseconds (64 bits).
//
// Then the sender sends frames, which are numbered from 0: the size of an item (32 bits) and its bytes. The
// last frame has a mark in place of the size, and the number of items (64 bits). The receiver sends, now and
// then, the number of frames that it has taken (64 bits): the sender keeps the others, for another
// connection. Who gives the stream up before its end sends a mark and a text.
#pragma once

#include <thalweg/model/codec.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "socket.hpp"

namespace THALWEG_NAMESPACE::net::protocol {

inline constexpr std::array<char, 8> magic{'t', 'h', 'a', 'l', 'w', 'e', 'g', '\n'};
inline constexpr std::uint32_t version = 2;
inline constexpr std::size_t intro_size = magic.size() + 8;
inline constexpr std::uint32_t longest_greeting = 65'536;

/// In place of a frame's size.
inline constexpr std::uint32_t end_mark = 0xFFFF'FFFF;
inline constexpr std::uint32_t gave_up_mark = 0xFFFF'FFFE;
/// No item has so many bytes.
inline constexpr std::uint32_t too_long = 0xFFFF'FF00;
/// In place of the number of frames taken.
inline constexpr std::uint64_t closed_mark = ~std::uint64_t{0};

inline constexpr std::size_t frame_head = 4;
inline constexpr std::size_t end_frame = frame_head + 8;

template <class N> N little_endian(N number) {
  if constexpr (std::endian::native == std::endian::little) {
    return number;
  } else {
    N turned = 0;
    for (std::size_t i = 0; i < sizeof(N); ++i, number >>= 8U) turned = (turned << 8U) | (number & 0xFFU);
    return turned;
  }
}

template <class N> N number_at(std::span<const std::byte> bytes) {
  N number{};
  std::memcpy(&number, bytes.data(), sizeof number);
  return little_endian(number);
}

void put_bytes(std::vector<std::byte>& to, const void* from, std::size_t size);
template <class N> void put(std::vector<std::byte>& to, N number) {
  const auto turned = little_endian(number);
  put_bytes(to, &turned, sizeof turned);
}
void put_text(std::vector<std::byte>& to, std::string_view text);
inline std::string_view text_in(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// How many bytes the frame has that begins so; 0 if that cannot be told yet.
std::size_t size_of_frame(std::span<const std::byte> bytes);

struct hello {
  std::uint64_t stream = 0;
  std::string tag;
  std::string name;
  std::string clock;
};
struct answer {
  std::uint64_t next = 0;
  std::string refusal;
  std::uint32_t questions = 0;
};

std::vector<std::byte> packed(const hello& said);
std::vector<std::byte> packed(const answer& said);
/// \throws network_error  if the bytes are none
hello hello_in(std::span<const std::byte> greeting);
answer answer_in(std::span<const std::byte> greeting);

/// A greeting that comes in pieces. What follows it on the connection is left there.
class greeting {
 public:
  /// Receives what is there. Whether that is all of it. \throws connection_lost, or network_error that tells
  /// what came in its place
  bool receive(const connection& link);
  /// What follows its head.
  [[nodiscard]] std::span<const std::byte> body() const { return std::span(bytes_).subspan(intro_size); }

 private:
  std::vector<std::byte> bytes_ = std::vector<std::byte>(intro_size);
  std::size_t got_ = 0;
  bool sized_ = false;
};

/// Receives a greeting. None if the wait was given up. \throws connection_lost  also if it does not come in
/// time, or network_error that tells what came in its place
std::optional<std::vector<std::byte>> receive_greeting(const connection& link, const patience& patience,
                                                       moment until);

}  // namespace THALWEG_NAMESPACE::net::protocol
