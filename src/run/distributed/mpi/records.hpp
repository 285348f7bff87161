#pragma once

#include <thalweg/model/codecs.hpp>
#include <thalweg/observe/counters.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../graph/places.hpp"
#include "process.hpp"

/// What ranks tell each other apart from the messages of the stream: as a process joins a run, as a run ends,
/// and what they have counted while it goes on. Nothing here calls MPI.
namespace THALWEG_NAMESPACE::run_detail::distributed {

/// What joiners are told when they begin.
struct join_request {
  std::int32_t first = 1;  ///< ranks that began the run; the joiners have the numbers from there on
  std::int32_t count = 0;  ///< how many joiners there are
  std::int64_t run = 1;    ///< which of the program's runs it is
  std::string job;         ///< what has to be the same on all ranks
  dataflow::mapping places;

  [[nodiscard]] int in_all() const noexcept { return first + count; }
};

/// The answer of a joiner that is asked to take part.
enum class answer : std::int32_t { same_job, other_job, never_ran };

/// What the clock of a rank was when the run began.
struct clock_reading {
  std::int64_t ahead_ns = 0;  ///< of rank 0's
  std::int64_t off_ns = 0;    ///< how wrong that may be, at most; 0: it is the same clock
};

/// An error of one rank.
struct remote_error {
  std::string stage;
  std::int32_t replica = 0;
  std::string message;
  std::int32_t rank = 0;
  std::string host;
};

/// What one rank has sent through a channel.
struct channel_totals {
  std::uint64_t from_stage = 0, to_stage = 0;
  std::uint64_t messages = 0, items = 0, bytes = 0, credits = 0;
  std::int64_t blocked_ns = 0;  ///< something to send, but no credit
};

/// What a rank has counted.
struct rank_figures {
  std::int64_t cpu_ns = 0;
  std::uint64_t peak_bytes = 0, others = 0;
  std::int32_t workers = 0, cores = 0;
  std::uint8_t sampled = 0;
  observe::worker_totals work;
};

/// What rank 0 is told of one rank for its report and its trace.
struct rank_statistics {
  rank_figures numbers;
  std::string host;
  std::vector<observe::stage_totals> stages;
  std::vector<std::vector<std::uint64_t>> latencies;  ///< of each stage; nothing where no item has arrived
  std::vector<channel_totals> channels;
  std::string trace;
  std::uint64_t trace_dropped = 0;
};

/// What rank 0 is told of one rank while the run goes on: how its `rank_statistics` have changed.
struct figures_row {
  std::int32_t rank = 0;
  std::int64_t at_ns = 0;  ///< by that rank's clock
  std::span<const std::byte> change;
};
void write_row(std::vector<std::byte>& rows, const figures_row& row);

// From the bytes of rank `from`. \throws codec_error  if they cannot be meant so

[[nodiscard]] join_request read_join_request(int from, std::span<const std::byte> bytes);
[[nodiscard]] process read_process(int from, std::span<const std::byte> bytes);
[[nodiscard]] answer read_answer(int from, std::int32_t number);
/// The time that it has read there.
[[nodiscard]] std::int64_t read_time(int from, std::int64_t ns);
/// One of all ranks' that it has measured.
[[nodiscard]] clock_reading read_clock(int from, const clock_reading& measured);
[[nodiscard]] remote_error read_error(int from, std::span<const std::byte> bytes);
/// Of a run with so many stages.
[[nodiscard]] rank_statistics read_statistics(int from, std::span<const std::byte> bytes, std::size_t stages);
/// The first of several rows, and leaves the others. Of a run with so many ranks.
[[nodiscard]] figures_row take_row(int from, std::span<const std::byte>& rows, int ranks);

}  // namespace THALWEG_NAMESPACE::run_detail::distributed

namespace THALWEG_NAMESPACE {

template <>
struct codec<run_detail::distributed::join_request>
    : codec_of_members<
          &run_detail::distributed::join_request::first, &run_detail::distributed::join_request::count,
          &run_detail::distributed::join_request::run, &run_detail::distributed::join_request::job,
          &run_detail::distributed::join_request::places> {};

template <>
struct codec<run_detail::distributed::remote_error>
    : codec_of_members<
          &run_detail::distributed::remote_error::stage, &run_detail::distributed::remote_error::replica,
          &run_detail::distributed::remote_error::message, &run_detail::distributed::remote_error::rank,
          &run_detail::distributed::remote_error::host> {};

template <>
struct codec<run_detail::distributed::rank_statistics>
    : codec_of_members<&run_detail::distributed::rank_statistics::numbers,
                       &run_detail::distributed::rank_statistics::host,
                       &run_detail::distributed::rank_statistics::stages,
                       &run_detail::distributed::rank_statistics::latencies,
                       &run_detail::distributed::rank_statistics::channels,
                       &run_detail::distributed::rank_statistics::trace,
                       &run_detail::distributed::rank_statistics::trace_dropped> {};

}  // namespace THALWEG_NAMESPACE
