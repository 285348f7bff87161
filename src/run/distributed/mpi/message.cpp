#include "message.hpp"

#include <cstring>
#include <limits>
#include <utility>

#include <unistd.h>

#include "../../../adapt/limits.hpp"
#include "../../tuning.hpp"
#include "../graph/deadlock_report.hpp"
#include "quiescence.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

// Nobody counts so far, and so many such numbers can be added up.
constexpr std::int64_t most_counted_by_ranks = std::int64_t{1} << 48;

std::uint64_t memory_of_machine() {
  const auto pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size)
                               : std::numeric_limits<std::int64_t>::max();
}

void require(bool good, int from, const char* what, std::int64_t number) {
  if (!good) refuse(from, what + std::to_string(number));
}

}  // namespace

void refuse(int from, const std::string& what) {
  throw codec_error("rank " + std::to_string(from) + " has sent an invalid message: " + what);
}

std::size_t checked_length(int from, std::uint64_t n) {
  static const auto most = memory_of_machine();
  if (n > most)
    refuse(from, std::to_string(n) + " bytes are to follow, but this machine has memory for " +
                     std::to_string(most));
  return static_cast<std::size_t>(n);
}

void message_reader::add(std::uint32_t channel_id, const dataflow::route& way, bool receives, bool sends) {
  if (channels_.size() <= channel_id) channels_.resize(std::size_t{channel_id} + 1);
  auto& c = channels_[channel_id];
  const std::vector<bool> no_rank(static_cast<std::size_t>(ranks_));
  c = {receives, sends, no_rank, no_rank, no_rank};
  for (const auto& p : way.senders) c.from[static_cast<std::size_t>(p.rank)] = true;
  for (const auto& p : way.receivers) c.to[static_cast<std::size_t>(p.rank)] = true;
}

void message_reader::start(std::vector<bool> farms, bool may_stand_still) {
  farms_ = std::move(farms);
  may_stand_still_ = may_stand_still;
}

message message_reader::read(int from, std::span<const std::byte> content) {
  message m;
  if (content.size() < sizeof m.head)
    refuse(from, "a message of " + std::to_string(content.size()) + " bytes, although its header alone has " +
                     std::to_string(sizeof m.head));
  std::memcpy(&m.head, content.data(), sizeof m.head);
  m.items = content.subspan(sizeof m.head);
  if (m.head.what == header::kind::items) {
    check_items(from, m);
  } else {
    check(from, m.head);
    if (!m.items.empty() && m.head.what != header::kind::figures)
      refuse(from, std::to_string(m.items.size()) + " bytes after a message that is only a header");
    if (m.head.what == header::kind::end)
      channels_[m.head.channel_id].ended[static_cast<std::size_t>(from)] = true;
  }
  return m;
}

const message_reader::channel_ends& message_reader::channel_of(int from, const header& head) const {
  if (head.channel_id >= channels_.size())
    refuse(from, "a message for channel " + std::to_string(head.channel_id) + " of " +
                     std::to_string(channels_.size()));
  return channels_[head.channel_id];
}

void message_reader::check_open(int from, const header& head) const {
  if (channels_[head.channel_id].ended[static_cast<std::size_t>(from)])
    refuse(from, "a message for channel " + std::to_string(head.channel_id) + " after its end");
}

void message_reader::check_items(int from, message& m) const {
  const auto& head = m.head;
  const auto& c = channel_of(from, head);
  if (!c.receives || !c.from[static_cast<std::size_t>(from)])
    refuse(from,
           "items for channel " + std::to_string(head.channel_id) + ", which does not lead from it to here");
  check_open(from, head);
  if (head.paced > 1 || head.ranked > 1 || head.apart > 1)
    refuse(from, "a truth value that is neither 0 nor 1");
  require(dataflow::is_time(head.born_ns), from, "the time of a run of items: ", head.born_ns);
  const auto behind = std::uint64_t{head.blocks} * sizeof(std::uint64_t);
  if (behind > m.items.size())
    refuse(from, "a message of " + std::to_string(m.items.size()) +
                     " bytes, too few for the lengths of its " + std::to_string(head.blocks) + " blocks");
  const auto at = m.items.size() - static_cast<std::size_t>(behind);
  if (head.apart != 0 && (head.blocks == 0 || at != 0))
    refuse(from, "a message whose content should follow separately, but is included or missing");
  m.lengths.resize(head.blocks);
  if (behind > 0) std::memcpy(m.lengths.data(), m.items.data() + at, static_cast<std::size_t>(behind));
  m.items = m.items.first(at);
  std::uint64_t all = 0;
  for (const auto n : m.lengths) all = checked_length(from, all + checked_length(from, n));
}

// A head alone.
void message_reader::check(int from, const header& head) const {
  using kind = header::kind;
  constexpr auto most_int = std::numeric_limits<int>::max();
  const auto through = [&](bool good) {
    if (!good)
      refuse(from, "a message for channel " + std::to_string(head.channel_id) +
                       ", whose other end it does not have");
  };
  const auto& n = head.number;
  switch (head.what) {
    case kind::credit:
    case kind::allow: {
      const auto& c = channel_of(from, head);
      through(c.sends && c.to[static_cast<std::size_t>(from)]);
      require(n >= 0 && n <= most_int, from, "credit for this many runs of items: ", n);
      require(head.grant >= 0, from, "credit for runs of this many items: ", head.grant);
      return;
    }
    case kind::progress:
      // From the end of the region, which need not have an end of its first channel.
      through(channel_of(from, head).sends);
      return require(n >= 0, from, "the number of a run of items: ", n);
    case kind::end: {
      const auto& c = channel_of(from, head);
      through(c.receives && c.from[static_cast<std::size_t>(from)]);
      return check_open(from, head);
    }
    case kind::quiescence:
      if (!may_stand_still_)
        refuse(from, "a question whether this rank is idle, which no rank asks in this run");
      require(head.paced <= static_cast<int>(quiescence::wave_message::kind::answer), from,
              "a question or an answer of kind ", head.paced);
      require(head.items <= static_cast<std::uint32_t>(dataflow::remedy::nothing), from,
              "a way to go on with number ", head.items);
      require(head.channel_id < static_cast<std::uint32_t>(ranks_), from,
              "the number of a rank: ", head.channel_id);
      return require(n >= -most_counted_by_ranks && n <= most_counted_by_ranks, from,
                     "a number of messages: ", n);
    case kind::resize:
      if (head.channel_id >= farms_.size() || !farms_[head.channel_id])
        refuse(from, "replicas for stage " + std::to_string(head.channel_id) + ", which is not in a farm");
      require(head.items >= 1 && head.items <= static_cast<std::uint32_t>(most_int), from,
              "a number of replicas: ", head.items);
      require(head.position >= 0 && head.position <= most_counted_by_ranks, from,
              "a number of changes: ", head.position);
      break;
    case kind::set:
      check_setting(from, head);
      return require(n == 0, from, "what rank 0 alone sets, begun by rank ", n);
    case kind::meet:
      if (!joiners_) refuse(from, "that processes join the run, which is not possible here");
      break;
    case kind::watch:
      require(head.position >= 1'000'000 && dataflow::is_time(head.position), from,
              "to be told figures every so many ns: ", head.position);
      break;
    case kind::figures:
    case kind::stop:
    case kind::cancel:
    case kind::pause:
    case kind::resume:
      break;
    default:
      require(false, from, "a message of kind ", static_cast<int>(head.what));
  }
  require(n >= 0 && n < ranks_, from, "the number of the rank that sent it first: ", n);
}

void message_reader::check_setting(int from, const header& head) const {
  using kind = dataflow::setting::kind;
  std::int64_t least = 0, most = 0;
  switch (static_cast<kind>(head.paced)) {
    case kind::ranks:
      least = 1;
      most = ranks_;
      break;
    case kind::credits:
      most = adaptation::most_credits;
      break;
    case kind::message_bytes:
      least = 1;
      most = most_counted_by_ranks;
      break;
    case kind::run_length:
      most = longest_run_ns;
      break;
    default:
      require(false, from, "something to set with number ", head.paced);
  }
  require(head.position >= least && head.position <= most, from,
          "a number that cannot be set: ", head.position);
  if (head.channel_id >= farms_.size())
    refuse(from, "credit for stage " + std::to_string(head.channel_id) + ", which there is not");
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
