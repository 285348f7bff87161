// What Thalweg writes into a message beside the item, and reads of one that anybody may have written.
//
// Every message of a stream has a header, `thalweg`, of 17 bytes: what it is, a random number for the stream
// (64 bits), and a number (64 bits), all little-endian. An item: its place in the stream, from 0. The marks
// go to each partition: the beginning (number 0; the message: tag, name and clock of the sender as texts, and
// how far its wall clock is ahead of its monotonic one, 64 bits), before all items; the end (the number of
// items in the stream), or that it was given up (the message: why), behind them.
#pragma once

#include <thalweg/version.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace THALWEG_NAMESPACE::net::kafka {

enum class kind : std::uint8_t { item, begin, end, gave_up };

struct label {
  kind is = kind::item;
  std::uint64_t stream = 0;
  std::uint64_t number = 0;
};
inline constexpr auto label_name = "thalweg";

std::vector<std::byte> packed(const label& one);
/// The label in the value of a header. \throws network_error  if it is none
label label_in(std::span<const std::byte> header);

/// What the mark at the beginning of a stream says.
struct beginning {
  std::string tag{};
  std::string name{};
  std::string clock{};
  std::int64_t wall_ahead_ns = 0;
};

std::vector<std::byte> packed(const beginning& said);
/// \throws codec_error  if the bytes are none
beginning beginning_in(std::span<const std::byte> message);

}  // namespace THALWEG_NAMESPACE::net::kafka
