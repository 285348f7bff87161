// Bytes of other ranks that cannot be meant so: each is refused with the rank that has sent it, and what is
// wrong.
#include <thalweg/model/codec.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../src/run/distributed/mpi/message.hpp"
#include "../../src/run/distributed/mpi/records.hpp"

namespace distributed = thalweg::run_detail::distributed;
using distributed::header;
using distributed::message_reader;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using bytes = std::vector<std::byte>;
using kind = header::kind;

namespace {

constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();

// What is said of bytes that rank 2 has sent; empty: nothing is wrong.
std::string wrong(const std::function<void()>& read) {
  try {
    read();
    return {};
  } catch (const thalweg::codec_error& e) {
    EXPECT_THAT(e.what(), StartsWith("rank 2 has sent "));
    return e.what();
  }
}

// Of four ranks. Channel 1 leads from ranks 2 and 3 to this one, channel 2 from here to rank 2; stage 1 is a
// farm.
message_reader of_this_rank() {
  message_reader r(4);
  r.add(1, {0, 1, {{2, 1}, {3, 1}}, {{0, 1}}}, true, false);
  r.add(2, {1, 2, {{0, 1}}, {{2, 1}}}, false, true);
  r.start({false, true, false}, true);
  return r;
}

header head_of(kind what, std::uint32_t channel_id = 0, std::int64_t number = 0) {
  header head;
  head.what = what;
  head.channel_id = channel_id;
  head.number = number;
  return head;
}

bytes message_of(const header& head, const bytes& items = {},
                 const std::vector<std::uint64_t>& lengths = {}) {
  bytes all(sizeof head);
  std::memcpy(all.data(), &head, sizeof head);
  all.insert(all.end(), items.begin(), items.end());
  const auto* const of_blocks = reinterpret_cast<const std::byte*>(lengths.data());
  all.insert(all.end(), of_blocks, of_blocks + lengths.size() * sizeof(std::uint64_t));
  return all;
}

header items_of(std::uint32_t channel_id, std::uint32_t blocks) {
  auto head = head_of(kind::items, channel_id);
  head.blocks = blocks;
  return head;
}

std::string wrong(const bytes& content) {
  return wrong([&] { (void)of_this_rank().read(2, content); });
}

std::string wrong(const header& head) {
  return wrong(message_of(head));
}

TEST(Messages, AGoodOneIsRead) {
  const bytes items(5, std::byte{7});
  const auto m = of_this_rank().read(2, message_of(items_of(1, 2), items, {10'000, 20'000}));
  EXPECT_EQ(m.items.size(), items.size());
  EXPECT_EQ(m.lengths, (std::vector<std::uint64_t>{10'000, 20'000}));
  for (const auto& head :
       {head_of(kind::credit, 2, 3), head_of(kind::allow, 2, 0), head_of(kind::progress, 2, 8),
        head_of(kind::end, 1), head_of(kind::stop, 0, 3), head_of(kind::quiescence, 3, -4)})
    EXPECT_EQ(wrong(head), "") << static_cast<int>(head.what);
}

TEST(Messages, ThatAreCutOff) {
  auto whole = message_of(items_of(1, 2), {}, {10'000, 20'000});
  for (; !whole.empty(); whole.pop_back()) {
    if (whole.size() == sizeof(header) + 2 * sizeof(std::uint64_t)) continue;
    ASSERT_NE(wrong(whole), "") << whole.size() << " bytes";
  }
  EXPECT_THAT(wrong(whole), HasSubstr("a message of 0 bytes, although its header alone has " +
                                      std::to_string(sizeof(header))));
  EXPECT_THAT(wrong(message_of(items_of(1, 1'000'000'000))),
              HasSubstr("0 bytes, too few for the lengths of its 1000000000 blocks"));
}

TEST(Messages, ThatAreTooLong) {
  EXPECT_THAT(wrong(message_of(head_of(kind::end, 1), bytes(3))), HasSubstr("3 bytes after"));
  EXPECT_THAT(wrong(message_of(items_of(1, 1), {}, {std::uint64_t{1} << 60})),
              HasSubstr("1152921504606846976 bytes are to follow, but this machine has memory for "));
  // Together they are too long for this machine, and for a number of 64 bits.
  const std::vector<std::uint64_t> many(1 << 20, std::uint64_t{1} << 28);
  EXPECT_THAT(wrong(message_of(items_of(1, 1 << 20), {}, many)), HasSubstr("bytes are to follow"));
  auto apart = items_of(1, 0);
  apart.apart = 1;
  EXPECT_THAT(wrong(apart), HasSubstr("whose content should follow separately"));
  apart.blocks = 1;
  EXPECT_THAT(wrong(message_of(apart, bytes(1), {100'000})),
              HasSubstr("whose content should follow separately"));
}

TEST(Messages, ForChannelsThatDoNotLeadHere) {
  EXPECT_THAT(wrong(items_of(3, 0)), HasSubstr("a message for channel 3 of 3"));
  EXPECT_THAT(wrong(items_of(0, 0)), HasSubstr("channel 0, which does not lead from it to here"));
  EXPECT_THAT(wrong(items_of(2, 0)), HasSubstr("channel 2, which does not lead from it to here"));
  for (const auto what : {kind::credit, kind::allow, kind::progress}) {
    EXPECT_THAT(wrong(head_of(what, 1)), HasSubstr("channel 1, whose other end it does not have"));
    EXPECT_THAT(wrong(head_of(what, 77)), HasSubstr("a message for channel 77 of 3"));
  }
  EXPECT_THAT(wrong(head_of(kind::end, 2)), HasSubstr("channel 2, whose other end it does not have"));
  // From a rank that has no end of it.
  for (const auto& head : {items_of(1, 0), head_of(kind::end, 1), head_of(kind::credit, 2)})
    EXPECT_THROW((void)of_this_rank().read(1, message_of(head)), thalweg::codec_error);
}

// Otherwise the end would be counted as that of another rank, whose items are still to come.
TEST(Messages, AfterTheEndOfTheirChannel) {
  for (const auto& head : {head_of(kind::end, 1), items_of(1, 0)}) {
    auto reader = of_this_rank();
    (void)reader.read(2, message_of(head_of(kind::end, 1)));
    EXPECT_THAT(wrong([&] { (void)reader.read(2, message_of(head)); }),
                HasSubstr("a message for channel 1 after its end"));
    EXPECT_NO_THROW((void)reader.read(3, message_of(head)));
  }
}

TEST(Messages, WithNumbersThatCannotBe) {
  const auto beyond = static_cast<int>(kind::meet) + 1;
  EXPECT_THAT(wrong(head_of(static_cast<kind>(beyond))),
              HasSubstr("a message of kind " + std::to_string(beyond)));
  EXPECT_THAT(wrong(head_of(kind::watch)), HasSubstr("to be told figures every so many ns: 0"));
  EXPECT_THAT(wrong(head_of(kind::figures, 0, -1)),
              HasSubstr("the number of the rank that sent it first: -1"));
  auto flags = items_of(1, 0);
  flags.ranked = 2;
  EXPECT_THAT(wrong(flags), HasSubstr("neither 0 nor 1"));
  auto times = items_of(1, 0);
  times.born_ns = -longest;
  EXPECT_THAT(wrong(times), HasSubstr("the time of a run of items: -9223372036854775807"));
  EXPECT_THAT(wrong(head_of(kind::credit, 2, -1)), HasSubstr("credit for this many runs of items: -1"));
  EXPECT_THAT(wrong(head_of(kind::allow, 2, longest)), HasSubstr("credit for this many runs"));
  auto grant = head_of(kind::credit, 2);
  grant.grant = -1;
  EXPECT_THAT(wrong(grant), HasSubstr("credit for runs of this many items: -1"));
  EXPECT_THAT(wrong(head_of(kind::progress, 2, -1)), HasSubstr("the number of a run of items: -1"));
  for (const auto what : {kind::stop, kind::cancel, kind::pause, kind::resume}) {
    for (const std::int64_t root : {std::int64_t{-1}, std::int64_t{4}, longest})
      EXPECT_THAT(wrong(head_of(what, 0, root)), HasSubstr("the rank that sent it first"));
  }
  EXPECT_THAT(wrong(head_of(kind::meet)), HasSubstr("processes join the run, which is not possible here"));
  auto question = head_of(kind::quiescence);
  question.paced = 3;
  EXPECT_THAT(wrong(question), HasSubstr("a question or an answer of kind 3"));
  question.paced = 0;
  question.items = 6;
  EXPECT_THAT(wrong(question), HasSubstr("a way to go on with number 6"));
  EXPECT_THAT(wrong(head_of(kind::quiescence, 4)), HasSubstr("the number of a rank: 4"));
  EXPECT_THAT(wrong(head_of(kind::quiescence, 0, longest)), HasSubstr("a number of messages"));
  EXPECT_THAT(wrong([] { (void)message_reader(4).read(2, message_of(head_of(kind::quiescence))); }),
              HasSubstr("which no rank asks in this run"));
  auto size = head_of(kind::resize, 1);
  EXPECT_THAT(wrong(size), HasSubstr("a number of replicas: 0"));
  size.items = 3;
  EXPECT_EQ(wrong(size), "");
  size.position = longest;
  EXPECT_THAT(wrong(size), HasSubstr("a number of changes"));
  for (const std::uint32_t stage : {0U, 3U}) {
    size.channel_id = stage;
    EXPECT_THAT(wrong(size), HasSubstr("which is not in a farm"));
  }
}

TEST(Messages, LengthsThatNoMemoryIsThereFor) {
  EXPECT_EQ(distributed::checked_length(2, 1'000), 1'000U);
  // A negative number is one of these, too.
  EXPECT_THAT(wrong([] { (void)distributed::checked_length(2, static_cast<std::uint64_t>(-1)); }),
              HasSubstr("bytes are to follow"));
}

template <class T> bytes encoded(const T& record) {
  bytes all;
  thalweg::encode(record, all);
  return all;
}

// Cut off at each place, and with a byte behind.
template <class T, class Read> void refuses_other_lengths(const T& record, Read&& read) {
  const auto whole = encoded(record);
  EXPECT_EQ(wrong([&] { read(whole); }), "");
  for (std::size_t n = 0; n < whole.size(); ++n)
    ASSERT_NE(wrong([&] { read(bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n))); }), "")
        << n;
  auto more = whole;
  more.emplace_back();
  EXPECT_THAT(wrong([&] { read(more); }), HasSubstr("1 bytes too many"));
}

TEST(Messages, OfThoseThatJoin) {
  const auto read = [](const bytes& all) { (void)distributed::read_join_request(2, all); };
  const distributed::join_request good{2, 1, 1, "a job", {{{0, 1}}, {{1, 2}, {2, 0}}}};
  refuses_other_lengths(good, read);
  for (const auto& at :
       std::vector<thalweg::run_detail::dataflow::mapping>{{{}}, {{{3, 1}}}, {{{-1, 1}}}, {{{0, -1}}}}) {
    auto bad = good;
    bad.places = at;
    EXPECT_NE(wrong([&] { read(encoded(bad)); }), "");
  }
  auto bad = good;
  bad.count = std::numeric_limits<std::int32_t>::max();
  EXPECT_THAT(wrong([&] { read(encoded(bad)); }), HasSubstr("a run of 2 ranks that 2147483647 join"));
  refuses_other_lengths(distributed::process{},
                        [](const bytes& all) { (void)distributed::read_process(2, all); });
  EXPECT_EQ(distributed::read_answer(2, 1), distributed::answer::other_job);
  EXPECT_THAT(wrong([] { (void)distributed::read_answer(2, 3); }), HasSubstr("an answer with number 3"));
  EXPECT_NE(wrong([] { (void)distributed::read_answer(2, -1); }), "");
}

TEST(Messages, OfAnError) {
  const auto read = [](const bytes& all) { (void)distributed::read_error(2, all); };
  refuses_other_lengths(distributed::remote_error{"stage", 1, "why", 2, "host"}, read);
  EXPECT_THAT(wrong([&] {
                read(encoded(distributed::remote_error{"stage", 1, "why", 3, "host"}));
              }),
              HasSubstr("an error of rank 3"));
}

// What clocks differ by is added to times, and they are subtracted from each other.
TEST(Messages, OfClocks) {
  constexpr auto year = std::int64_t{365} * 86'400 * 1'000'000'000;
  EXPECT_EQ(distributed::read_time(2, 10 * year), 10 * year);
  EXPECT_EQ(distributed::read_clock(2, {-10 * year, 5}).ahead_ns, -10 * year);
  for (const auto ns : {longest, -longest, std::int64_t{1} << 62}) {
    EXPECT_THAT(wrong([&] { (void)distributed::read_time(2, ns); }), HasSubstr("the time by its clock: "));
    EXPECT_THAT(wrong([&] {
                  (void)distributed::read_clock(2, {ns, 5});
                }),
                HasSubstr(" ns ahead, give or take 5"));
    EXPECT_NE(wrong([&] { (void)distributed::read_clock(2, {0, ns}); }), "");
  }
  EXPECT_NE(wrong([] { (void)distributed::read_clock(2, {0, -1}); }), "");
}

TEST(Messages, OfFigures) {
  const auto read = [](const bytes& all) { (void)distributed::read_statistics(2, all, 3); };
  distributed::rank_statistics good;
  good.stages.resize(3);
  good.latencies.resize(3);
  good.latencies[2] = {0, 0, 0, 0, 5, 1};
  good.channels.resize(2);
  refuses_other_lengths(good, read);
  const auto with = [&](auto&& change) {
    auto bad = good;
    change(bad);
    return wrong([&] { read(encoded(bad)); });
  };
  EXPECT_THAT(with([](auto& s) { s.stages.resize(4); }), HasSubstr("4 stages, although there are 3"));
  EXPECT_THAT(with([](auto& s) { s.channels[1].to_stage = 3; }), HasSubstr("from stage 0 to stage 3 of 3"));
  EXPECT_NE(with([](auto& s) { s.channels[1].blocked_ns = -1; }), "");
  EXPECT_THAT(with([](auto& s) { s.latencies[2][4] = 1 << 30; }), HasSubstr("not a histogram"));
  EXPECT_THAT(with([](auto& s) { s.latencies.resize(2); }), HasSubstr("latencies of 2 stages"));
  EXPECT_NE(with([](auto& s) { s.numbers.cpu_ns = -1; }), "");
  EXPECT_NE(with([](auto& s) { s.numbers.workers = std::numeric_limits<std::int32_t>::max(); }), "");
}

// A run of many threads and days is told of, and those of all ranks can be added up.
TEST(Messages, OfTimesThatAreVeryLong) {
  distributed::rank_statistics of_days;
  of_days.stages.resize(1);
  of_days.latencies = {{0, 0, 0, 0, 5, 1}};
  of_days.channels.resize(1);
  constexpr auto day = std::int64_t{86'400} * 1'000'000'000;
  of_days.numbers.cpu_ns = 128 * day;
  of_days.channels[0].blocked_ns = longest;
  const auto told = distributed::read_statistics(2, encoded(of_days), 1);
  EXPECT_EQ(told.numbers.cpu_ns, 128 * day);
  EXPECT_GT(told.channels[0].blocked_ns, 300 * day);
  EXPECT_LT(told.channels[0].blocked_ns, longest / 64);
}

}  // namespace
