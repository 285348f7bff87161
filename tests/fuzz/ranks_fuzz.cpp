// What ranks tell each other besides items: the heads of messages, what is told once and as a whole, and what
// they count while a run goes on.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "../../src/run/distributed/mpi/differences.hpp"
#include "../../src/run/distributed/mpi/message.hpp"
#include "../../src/run/distributed/mpi/records.hpp"
#include "fuzz/fuzz.hpp"

namespace distributed = thalweg::run_detail::distributed;
using distributed::header;
using distributed::message_reader;

namespace {

constexpr int ranks = 4;
constexpr std::size_t stages = 3;

// Of rank 0. Channel 1 leads from ranks 2 and 3 to it, channel 2 from it to rank 2; stage 1 is a farm.
const message_reader& reader() {
  static const auto one = [] {
    message_reader r(ranks);
    r.add(1, {0, 1, {{2, 1}, {3, 1}}, {{0, 1}}}, true, false);
    r.add(2, {1, 2, {{0, 1}}, {{2, 1}}}, false, true);
    r.start({false, true, false}, true);
    return r;
  }();
  return one;
}

// An input begins with what it is, and the rank that has sent it.
std::string input_of(char what, std::span<const std::byte> bytes) {
  return std::string{what, 2} + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::string message_of(header::kind what, std::uint32_t channel_id,
                       const std::vector<std::uint64_t>& lengths = {}) {
  header head;
  head.what = what;
  head.channel_id = channel_id;
  head.items = 1;
  head.blocks = static_cast<std::uint32_t>(lengths.size());
  return input_of(0, std::as_bytes(std::span(&head, 1))) +
         std::string(reinterpret_cast<const char*>(lengths.data()), lengths.size() * sizeof lengths[0]);
}

template <class T> std::string record_of(char what, const T& record) {
  std::vector<std::byte> bytes;
  thalweg::encode(record, bytes);
  return input_of(what, bytes);
}

void read_message(int from, std::span<const std::byte> bytes) {
  auto one = reader();
  const auto m = one.read(from, bytes);
  const auto& head = m.head;
  using kind = header::kind;
  const auto at = head.channel_id;
  switch (head.what) {
    case kind::items:
    case kind::end:
      fuzz::expect(at == 1 && from >= 2, "items come where none can");
      break;
    case kind::credit:
    case kind::allow:
      fuzz::expect(at == 2 && from == 2, "credit comes where none can");
      break;
    case kind::progress:
      fuzz::expect(at == 2, "progress is told where it cannot be");
      break;
    case kind::resize:
      fuzz::expect(at == 1 && head.items > 0, "a stage is resized that cannot be");
      break;
    default:
      fuzz::expect(head.what < kind::meet, "a message is of no kind");
  }
  std::size_t to_come = 0;
  for (const auto n : m.lengths) to_come += n;
  fuzz::expect(m.items.size() + m.lengths.size() * sizeof(std::uint64_t) <= bytes.size(),
               "there is more than was sent");
  fuzz::expect(distributed::checked_length(from, to_come) == to_come, "more is to follow than can");
  fuzz::expect(head.what != kind::items || head.apart == 0 || !m.lengths.empty(),
               "what should follow apart does not");
}

std::string rows_of(const distributed::rank_statistics& told) {
  std::vector<std::byte> before, now, rows;
  thalweg::encode(told, now);
  for (const int rank : {1, 1, 3}) {
    distributed::write_row(rows, {rank, 1, distributed::difference(before, now)});
    before = now;
    now.back() = static_cast<std::byte>(rank);
  }
  return input_of(7, rows);
}

void read_rows(int from, std::span<const std::byte> rows) {
  std::vector<std::vector<std::byte>> known(ranks);
  while (!rows.empty()) {
    const auto row = distributed::take_row(from, rows, ranks);
    auto& its = known.at(static_cast<std::size_t>(row.rank));
    distributed::apply(row.change, its);
    const auto again = distributed::difference({}, its);
    std::vector<std::byte> same;
    distributed::apply(again, same);
    fuzz::expect(same == its, "a difference is not what it was made of");
    (void)distributed::read_statistics(row.rank, its, stages);
  }
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  distributed::rank_statistics figures;
  figures.host = "host";
  figures.stages.resize(stages);
  figures.latencies.resize(stages);
  figures.latencies.back() = {0, 0, 0, 0, 5, 1};
  figures.channels.resize(1);
  const distributed::join_request joins{2, 1, 1, "a job", {{{0, 1}}, {{1, 2}, {2, 0}}}};
  return {message_of(header::kind::items, 1, {10'000, 20'000}),
          message_of(header::kind::credit, 2),
          message_of(header::kind::progress, 2),
          message_of(header::kind::end, 1),
          message_of(header::kind::stop, 0),
          message_of(header::kind::resize, 1),
          message_of(header::kind::quiescence, 3),
          record_of(1, joins),
          record_of(2, distributed::process{}),
          record_of(3, distributed::remote_error{"stage", 1, "why", 2, "host"}),
          record_of(4, figures),
          record_of(5, std::int64_t{1} << 40),
          record_of(6, distributed::clock_reading{-5'000'000'000, 20'000}),
          rows_of(figures)};
}

void fuzz::read(const std::string& input) {
  if (input.size() < 2) return;
  const auto bytes = std::as_bytes(std::span(input)).subspan(2);
  const int from = static_cast<unsigned char>(input[1]) % ranks;
  switch (static_cast<unsigned char>(input[0]) % 8) {
    case 0:
      return read_message(from, bytes);
    case 1:
      for (const auto& at : distributed::read_join_request(from, bytes).places)
        expect(!at.empty() && at.front().rank >= 0, "a stage is nowhere");
      return;
    case 2:
      return static_cast<void>(distributed::read_process(from, bytes));
    case 3:
      return expect(distributed::read_error(from, bytes).rank == from, "an error is of another rank");
    case 5:
      return static_cast<void>(distributed::read_time(from, thalweg::decode<std::int64_t>(bytes)));
    case 6: {
      const auto r = distributed::read_clock(from, thalweg::decode<distributed::clock_reading>(bytes));
      return expect(2 * r.off_ns - r.ahead_ns >= r.off_ns - r.ahead_ns, "a clock cannot be reckoned with");
    }
    case 7:
      return read_rows(from, bytes);
    default: {
      const auto s = distributed::read_statistics(from, bytes, stages);
      for (const auto& c : s.channels) expect(c.to_stage < stages, "a channel leads nowhere");
      expect(s.stages.size() == stages, "there are more stages than there should be");
    }
  }
}
