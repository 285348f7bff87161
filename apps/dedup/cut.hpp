#pragma once

#include <cstddef>
#include <string_view>

namespace apps::dedup {

/// How long pieces are that bytes are cut into, and how rare the places where that is done.
struct cut_rule {
  std::size_t least;  ///< in bytes; more than 64
  std::size_t usual;  ///< up to here a place has to be one in 2^`strict`
  std::size_t most;   ///< here at the latest
  unsigned strict;
  unsigned loose;  ///< behind `usual`, one in 2^`loose` will do
};

/// Fragments: 70 kB in the mean.
inline constexpr cut_rule coarse{std::size_t{32} << 10U, std::size_t{64} << 10U, std::size_t{256} << 10U, 16,
                                 14};
/// Chunks: 9 kB in the mean. Where a fragment ends, a chunk would end, too, if it went on: what is a place
/// for the former is one for the latter.
inline constexpr cut_rule fine{std::size_t{2} << 10U, std::size_t{6} << 10U, std::size_t{64} << 10U, 14, 12};

/// The length of the first piece of `bytes`; 0 if there are none. Where it ends depends on the 64 bytes
/// before the place and on nothing else, so the same bytes are cut at the same places wherever they stand,
/// but for the first piece or two. At the end of `bytes` a piece ends, too.
///
/// By a rolling hash, Gear, with strict and loose places: W. Xia et al., FastCDC: a Fast and Efficient
/// Content-Defined Chunking Approach for Data Deduplication, USENIX ATC 2016. There the hash starts anew with
/// each piece; here it knows what stands before the first place.
std::size_t cut(std::string_view bytes, const cut_rule& rule);

}  // namespace apps::dedup
