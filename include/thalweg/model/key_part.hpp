#pragma once

#include <thalweg/pipe/chunk.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace THALWEG_NAMESPACE::model {

/// The time of an item, and how far time has come with it in the whole stream, in ns. Watermarks never go
/// back. An item that is late whatever its time has the time `too_late`.
struct moment {
  static constexpr auto too_late = std::numeric_limits<std::int64_t>::max();

  std::int64_t time = 0;
  std::int64_t watermark = 0;
};

/// How far the time of a stream has come, as its items tell it, in ns.
struct stream_clock {
  static constexpr auto unknown = std::numeric_limits<std::int64_t>::min();
  static constexpr auto never = std::numeric_limits<std::int64_t>::max();

  std::int64_t latest = unknown;  ///< the greatest time of an item
  std::int64_t watermark = unknown;
  // Where silence counts, by processing time:
  std::int64_t heard = 0;          ///< when the last item came that told the time
  std::int64_t silent_at = never;  ///< when time goes on without items, if none comes before
};

/// Where the keys of a stage are divided up: what the operator of one part learns about the whole stream for
/// a run of items, and what it leaves for what puts the results of all parts together.
///
/// The rank of an item is its place in the whole stream. What the operator sends for an item has the item's
/// rank, except where time makes results: one item may do that in all parts. Then `places` says for each
/// result where it belongs, and the result has the number of its place for a rank.
struct key_part {
  /// Behind the item of that rank; of the same item by the end of the window, and by the rank of its first
  /// item.
  struct place {
    std::int64_t rank, end;
    std::uint64_t first;
    friend auto operator<=>(const place&, const place&) = default;
  };
  static constexpr auto never = std::numeric_limits<std::int64_t>::max();

  std::int64_t first = 0;             ///< the rank of the first item of the run
  std::span<const moment> moments{};  ///< of its items; none if the stage does not go by time
  std::span<const pipe::mark> marks{};
  pipe::chunk_base* late = nullptr;  ///< where items go that come too late
  std::vector<place> places{};
  std::size_t reached = 0;    ///< how many of the moments the operator has come by
  std::int64_t next = never;  ///< the next watermark at which it has something to do

  /// The moment of an item of the run.
  [[nodiscard]] const moment& at(std::int64_t rank) const {
    return moments[static_cast<std::size_t>(rank - first)];
  }
  /// When the item of that rank was due.
  [[nodiscard]] std::int64_t due(std::int64_t rank) const {
    return marks.empty() ? 0 : marks[static_cast<std::size_t>(rank - first)].due;
  }
  /// Adds a place, and returns its number.
  std::int64_t put(std::int64_t rank, std::int64_t end = never, std::uint64_t first_item = 0) {
    places.push_back({rank, end, first_item});
    return static_cast<std::int64_t>(places.size()) - 1;
  }
};

}  // namespace THALWEG_NAMESPACE::model
