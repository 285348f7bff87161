#include "records.hpp"

#include <thalweg/observe/histogram.hpp>

#include <algorithm>
#include <exception>
#include <limits>

#include "message.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

// Of each rank, all its threads together; those of all ranks can be added up. Longer ones are told as this.
constexpr std::int64_t longest_time_ns = std::int64_t{1} << 56;
constexpr std::int32_t most_workers_of_rank = 1 << 16;
constexpr std::int32_t most_ranks_of_run = 1 << 24;

template <class T> T whole(int from, std::span<const std::byte> bytes) {
  try {
    return decode<T>(bytes);
  } catch (const codec_error& e) {
    refuse(from, e.what());
  }
}

template <class T> bool is_within(T x, T most) {
  return x >= 0 && x <= most;
}

bool is_histogram(const std::vector<std::uint64_t>& words) {
  try {
    (void)observe::histogram::from_words(words);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

join_request read_join_request(int from, std::span<const std::byte> bytes) {
  auto r = whole<join_request>(from, bytes);
  if (r.first < 1 || r.count < 1 || r.first > most_ranks_of_run || r.count > most_ranks_of_run)
    refuse(from, "a run of " + std::to_string(r.first) + " ranks that " + std::to_string(r.count) + " join");
  for (const auto& at : r.places) {
    if (at.empty()) refuse(from, "a stage that is on no rank");
    for (const auto& p : at) {
      if (!is_within(p.rank, r.in_all() - 1) || p.replicas < 0)
        refuse(from, std::to_string(p.replicas) + " replicas on rank " + std::to_string(p.rank) + " of " +
                         std::to_string(r.in_all()));
    }
  }
  return r;
}

process read_process(int from, std::span<const std::byte> bytes) {
  return whole<process>(from, bytes);
}

answer read_answer(int from, std::int32_t number) {
  if (!is_within(number, static_cast<std::int32_t>(answer::never_ran)))
    refuse(from, "an answer with number " + std::to_string(number));
  return static_cast<answer>(number);
}

std::int64_t read_time(int from, std::int64_t ns) {
  if (!dataflow::is_time(ns)) refuse(from, "the time by its clock: " + std::to_string(ns) + " ns");
  return ns;
}

clock_reading read_clock(int from, const clock_reading& measured) {
  const auto& [ahead, off] = measured;
  if (!dataflow::is_time(ahead) || !dataflow::is_time(off) || off < 0)
    refuse(from, "a clock that is " + std::to_string(ahead) + " ns ahead, give or take " +
                     std::to_string(off) + " ns");
  return measured;
}

remote_error read_error(int from, std::span<const std::byte> bytes) {
  auto e = whole<remote_error>(from, bytes);
  if (e.rank != from) refuse(from, "an error of rank " + std::to_string(e.rank));
  return e;
}

rank_statistics read_statistics(int from, std::span<const std::byte> bytes, std::size_t stages) {
  auto s = whole<rank_statistics>(from, bytes);
  if (s.stages.size() != stages)
    refuse(from, "figures of " + std::to_string(s.stages.size()) + " stages, although there are " +
                     std::to_string(stages));
  if (s.numbers.cpu_ns < 0 || !is_within(s.numbers.workers, most_workers_of_rank) ||
      !is_within(s.numbers.cores, most_workers_of_rank))
    refuse(from, "an impossible number of workers or cores, or an impossible time");
  s.numbers.cpu_ns = std::min(s.numbers.cpu_ns, longest_time_ns);
  for (auto& c : s.channels) {
    c.blocked_ns = std::min(c.blocked_ns, longest_time_ns);
    if (std::max(c.from_stage, c.to_stage) >= stages || c.blocked_ns < 0)
      refuse(from, "figures of a channel from stage " + std::to_string(c.from_stage) + " to stage " +
                       std::to_string(c.to_stage) + " of " + std::to_string(stages));
  }
  if (s.latencies.size() != stages)
    refuse(from, "latencies of " + std::to_string(s.latencies.size()) + " stages, although there are " +
                     std::to_string(stages));
  if (!std::all_of(s.latencies.begin(), s.latencies.end(),
                   [](const auto& words) { return words.empty() || is_histogram(words); }))
    refuse(from, "latencies that are not a histogram");
  return s;
}

void write_row(std::vector<std::byte>& rows, const figures_row& row) {
  byte_writer to(rows);
  to(row.rank, row.at_ns, static_cast<std::uint32_t>(row.change.size()));
  to.bytes(row.change.data(), row.change.size());
}

figures_row take_row(int from, std::span<const std::byte>& rows, int ranks) {
  figures_row row;
  std::uint32_t size = 0;
  byte_reader head(rows);
  try {
    head(row.rank, row.at_ns, size);
    row.change = head.bytes(size);
  } catch (const codec_error& e) {
    refuse(from, e.what());
  }
  rows = rows.last(head.left());
  if (!is_within(row.rank, ranks - 1)) refuse(from, "figures of rank " + std::to_string(row.rank));
  row.at_ns = read_time(from, row.at_ns);
  return row;
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
