// The same streams by MPI's own functions, as programs are written by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "../support/clock.hpp"
#include "../support/program.hpp"
#include "ranks.hpp"

namespace micro {

/// Numbers from 1 to `items` from rank 0 to rank 1, so many in a message. Gives their checksum on rank 1.
std::uint64_t plain_numbers(const ranks& all, std::uint64_t items, std::size_t in_a_message);

/// A block back and forth between ranks 0 and 1, as often as it takes to send it `times` in all: always the
/// same memory. Gives `times` on both.
std::uint64_t plain_ping_pong(const ranks& all, std::uint64_t times, std::size_t bytes);

/// Blocks from rank 0 to rank 1, each in memory of its own on both sides, two on their way at once. Gives the
/// checksum of their first numbers on rank 1.
std::uint64_t plain_blocks(const ranks& all, std::uint64_t items, std::size_t bytes);

/// A number that rank 1 sends back, each time when `due()` says so on rank 0, until that is 0: it gives the
/// moment from which the journey counts. Gives how long the journeys took, on rank 0.
std::vector<nanos> plain_journeys(const ranks& all, const std::function<nanos()>& due);

/// source | farm | sink with source and sink on rank 0, which gives work on demand to the others, two
/// messages ahead, and puts results in order. Gives the checksum on rank 0.
std::uint64_t plain_farm(const ranks& all, std::uint64_t items,
                         const std::function<std::uint64_t(std::uint64_t)>& work, std::size_t in_a_message);

/// A line of serial stages, each on a rank of its own, from rank 1 on. The sink shares rank 0 with the
/// source, or has the rank behind the last stage. `stages` work on the first number of an item. Gives the
/// checksum of these on the sink's rank.
std::uint64_t plain_line(const ranks& all, std::uint64_t items, std::size_t bytes,
                         const std::vector<even_work>& stages, bool sink_on_first);

}  // namespace micro
