#include <thalweg/model/codec.hpp>
#include <thalweg/net/kafka_inlet.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

#include "../clock.hpp"
#include "../protocol.hpp"
#include "client.hpp"

namespace THALWEG_NAMESPACE::net {

namespace {

using namespace kafka;

struct interrupts {
  kafka_inlet* which;
  void operator()() const noexcept { which->interrupt(); }
};

// A partition, and the next message of it.
struct partition {
  std::int32_t number = 0;
  queue from;
  message head;           // an item
  std::uint64_t place{};  // of that item in its stream
  bool over = false;      // no more is taken from it
};

}  // namespace

struct kafka_inlet::state {
  enum class found : std::uint8_t { item, end, late, given_up };

  state(kafka_topic topic, kafka_inlet_options options)
      : how(std::move(options)), to(std::move(topic), how.connect_within, how.given_up) {}

  bool open();
  bool start(std::int32_t count);
  std::int64_t beginning_of(std::int32_t partition, bool& given_up);
  found advance(moment until);
  bool fill();
  void take_in(partition& one, message came);
  void take_mark(partition& one, const label& is, rd_kafka_message_t& came);
  void begin(const label& is, rd_kafka_message_t& came);
  partition* next_item();
  bool all_over() const;
  void end_of_stream();
  void check_stream(const label& is, const rd_kafka_message_t& came);
  std::string place_of(const rd_kafka_message_t& one) const;
  [[noreturn]] void fail(const std::string& says);

  kafka_inlet_options how;
  client to;
  std::vector<partition> partitions{};
  bool running = false;

  bool foreign = false;                  // messages that nobody has numbered
  std::uint64_t stream = 0;              // 0: none has begun
  std::uint64_t number = 0;              // of the next item
  std::optional<std::uint64_t> items{};  // in the stream, once its end is known
  std::size_t turn = 0;                  // whose partition is asked first
  partition* ready = nullptr;            // has the next item
  message in_hand{};
  std::string name{}, tag{};
  sender_clock clock{};
  bool over = false;
  std::string failure{};

  std::optional<std::stop_callback<interrupts>> on_stop{};  // last: it uses the others
};

kafka_inlet::kafka_inlet(kafka_topic from, kafka_inlet_options how)
    : state_(std::make_unique<state>(std::move(from), std::move(how))) {
  auto& my = *state_;
  constexpr std::size_t kilobyte = 1024, of_message = 256, most_messages = 10'000'000;
  const kafka_settings ours{
      {"queued.max.messages.kbytes",
       std::to_string(std::clamp<std::size_t>(my.how.read_ahead / kilobyte, 1, 2'097'151))},
      {"queued.min.messages",
       std::to_string(std::clamp<std::size_t>(my.how.read_ahead / of_message, 1, most_messages))},
      {"fetch.message.max.bytes",
       std::to_string(std::clamp<std::size_t>(my.how.read_ahead, kilobyte, std::size_t{1} << 20U))},
      {"enable.partition.eof", "true"},
      {"auto.offset.reset", "error"},
      {"allow.auto.create.topics", "false"}};
  my.to.open(RD_KAFKA_CONSUMER, ours, my.how.settings, {});
}

kafka_inlet::~kafka_inlet() {
  state_->on_stop.reset();
  state_->in_hand.reset();
  if (state_->running)
    for (auto& one : state_->partitions) {
      one.head.reset();
      rd_kafka_consume_stop(state_->to.topic(), one.number);
    }
}

bool kafka_inlet::await_sender() {
  auto& my = *state_;
  if (!my.failure.empty()) throw network_error(my.failure);
  while (!my.over && my.stream == 0 && !my.foreign && !my.all_over()) {
    if (!my.open()) return false;
    my.to.rung.silence();
    if (!my.fill() && my.to.waits.wait(-1, 0, moment::max(), true) == waited::given_up) return false;
  }
  return true;
}

const std::string& kafka_inlet::name() const noexcept {
  return state_->name;
}

const std::string& kafka_inlet::tag() const noexcept {
  return state_->tag;
}

sender_clock kafka_inlet::clock() const noexcept {
  return state_->clock;
}

bool kafka_inlet::ended() const noexcept {
  return state_->over;
}

std::string kafka_inlet::place() const {
  return state_->in_hand ? state_->place_of(*state_->in_hand) : state_->to.where.text();
}

std::optional<std::span<const std::byte>> kafka_inlet::next() {
  auto& my = *state_;
  my.in_hand.reset();
  const auto until = my.how.come_within ? from_now(*my.how.come_within) : moment::max();
  switch (my.advance(until)) {
    case state::found::late:
      my.fail("nothing has come from " + my.to.where.text() + " within " +
              std::to_string(my.how.come_within->count()) + " ms");
    case state::found::end:
    case state::found::given_up:
      return {};
    case state::found::item:
      break;
  }
  my.in_hand = std::move(std::exchange(my.ready, nullptr)->head);
  ++my.number;
  return std::span(static_cast<const std::byte*>(my.in_hand->payload), my.in_hand->len);
}

bool kafka_inlet::ready_by(std::int64_t until_ns) {
  try {
    return state_->advance(moment{std::chrono::nanoseconds(until_ns)}) != state::found::late;
  } catch (const network_error&) {
    return true;  // `next` says it again
  }
}

void kafka_inlet::close(std::string_view /*why*/) {
  state_->over = true;
}

void kafka_inlet::interrupt() noexcept {
  state_->to.interrupt();
}

void kafka_inlet::interrupt_on(const std::stop_token& stop) {
  if (!state_->on_stop) state_->on_stop.emplace(stop, interrupts{this});
}

// Begins to read all partitions, once. False if the wait was given up.
bool kafka_inlet::state::open() {
  if (running) return true;
  const auto count = to.partitions();
  return count && start(*count);
}

bool kafka_inlet::state::start(std::int32_t count) {
  std::vector<std::int64_t> beginnings;
  for (std::int32_t i = 0; i < count; ++i) {
    bool given_up = false;
    beginnings.push_back(beginning_of(i, given_up));
    if (given_up) return false;
  }
  running = true;
  for (std::int32_t i = 0; i < count; ++i) {
    auto& one = partitions.emplace_back();
    one.number = i;
    one.from.reset(rd_kafka_queue_new(to.get()));
    to.ring_with(one.from.get());
    if (rd_kafka_consume_start_queue(to.topic(), i, beginnings[static_cast<std::size_t>(i)],
                                     one.from.get()) != 0)
      fail(to.where.text() + ", partition " + std::to_string(i) + ": " + text_of(rd_kafka_last_error()));
  }
  return true;
}

std::int64_t kafka_inlet::state::beginning_of(std::int32_t partition, bool& given_up) {
  if (how.start == kafka_start::first) return RD_KAFKA_OFFSET_BEGINNING;
  // A number, and not the word for it, since that would be looked up some time later.
  std::int64_t low = 0, high = 0;
  given_up = !to.ask([&](int ms) {
    return rd_kafka_query_watermark_offsets(to.get(), to.where.name.c_str(), partition, &low, &high, ms);
  });
  return high;
}

// Goes on until the next item is there, or there is none.
kafka_inlet::state::found kafka_inlet::state::advance(moment until) {
  if (!failure.empty()) throw network_error(failure);
  bool looked = false;
  while (!over && ready == nullptr) {
    if (to.given_up() || !open()) return found::given_up;
    ready = next_item();
    if (ready != nullptr) break;
    if (all_over()) {
      end_of_stream();
      continue;
    }
    if (fill()) {
      looked = false;
    } else if (!looked) {
      // What comes from now on is told.
      to.rung.silence();
      rd_kafka_poll(to.get(), 0);
      looked = true;
    } else {
      looked = false;
      const auto how_it_ended = to.waits.wait(-1, 0, until, true);
      if (how_it_ended == waited::late) return found::late;
      if (how_it_ended == waited::given_up) return found::given_up;
    }
  }
  return over ? found::end : found::item;
}

// Looks for the next message of each partition that has none. Whether one has come.
bool kafka_inlet::state::fill() {
  bool came = false;
  for (auto& one : partitions) {
    if (one.head || one.over) continue;
    if (message next{rd_kafka_consume_queue(one.from.get(), 0)}) {
      came = true;
      take_in(one, std::move(next));
    }
  }
  return came;
}

void kafka_inlet::state::take_in(partition& one, message came) {
  if (came->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
    one.over = how.end == kafka_end::last;
    return;
  }
  if (came->err != RD_KAFKA_RESP_ERR_NO_ERROR)
    fail(to.where.text() + ", partition " + std::to_string(one.number) + ": " +
         (came->payload != nullptr ? rd_kafka_message_errstr(came.get()) : text_of(came->err)));
  std::optional<label> is;
  try {
    is = label_of(*came);
    if (is && is->is != kind::item) return take_mark(one, *is, *came);
  } catch (const codec_error& e) {
    fail(place_of(*came) + ": " + e.what());
  } catch (const network_error& e) {
    fail(failure.empty() ? place_of(*came) + ": " + e.what() : e.what());
  }
  if (!is) {
    if (stream != 0)
      fail(place_of(*came) + ": a message of somebody else stands within a stream of '" + name + "'");
    foreign = true;
  } else if (stream == 0 && !foreign && how.start == kafka_start::next) {
    return;  // of a stream that had begun before
  } else {
    check_stream(*is, *came);
    one.place = is->number;
  }
  one.head = std::move(came);
}

void kafka_inlet::state::take_mark(partition& one, const label& is, rd_kafka_message_t& came) {
  if (is.is == kind::begin) return begin(is, came);
  // The end of what was before: of a stream whose items are not there any more, it says all the same.
  if (stream == 0 && (how.start == kafka_start::next || foreign)) return;
  check_stream(is, came);
  if (is.is == kind::gave_up) {
    const std::span why(static_cast<const std::byte*>(came.payload), came.len);
    fail("the sender has given its stream up (" + place_of(came) +
         "): " + std::string(protocol::text_in(why)));
  }
  items = is.number;
  one.over = true;
}

void kafka_inlet::state::begin(const label& is, rd_kafka_message_t& came) {
  if (stream == is.stream) return;
  if (stream != 0 || foreign)
    fail(place_of(came) +
         ": another stream begins before this one has ended: its sender has broken off, or " +
         "two send at once");
  byte_reader said({static_cast<const std::byte*>(came.payload), came.len});
  std::string its_clock;
  std::int64_t its_wall_ahead = 0;
  said(tag, name, its_clock, its_wall_ahead);
  if (!how.tag.empty() && tag != how.tag)
    fail(place_of(came) + ": the stream has items of '" + tag + "', and '" + how.tag + "' are taken");
  stream = is.stream;
  if (!its_clock.empty() && its_clock == clock_name())
    clock = {.by = sender_clock::relation::shared};
  else
    clock = {.by = sender_clock::relation::wall_clocks, .ahead_ns = wall_ahead_ns() - its_wall_ahead};
}

void kafka_inlet::state::check_stream(const label& is, const rd_kafka_message_t& came) {
  if (is.stream == stream) return;
  fail(place_of(came) + (stream == 0 && !foreign
                             ? ": the beginning of this stream is not there any more"
                             : ": a message of another stream stands within this one: two send at once"));
}

// The partition that has the next item; none if it has to be waited for, or there is none.
partition* kafka_inlet::state::next_item() {
  const auto count = partitions.size();
  bool complete = count > 0;
  partition* least = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    auto& one = partitions[(turn + i) % count];
    if (!one.head) {
      complete = complete && one.over;
      continue;
    }
    if (foreign || one.place == number) {
      turn = foreign ? (turn + i + 1) % count : (turn + i) % count;
      return &one;
    }
    if (least == nullptr || one.place < least->place) least = &one;
  }
  // No partition has, or can have, what should come now.
  if (complete && least != nullptr)
    fail(place_of(*least->head) + ": item " + std::to_string(least->place) + " comes, and item " +
         std::to_string(number) + " of the stream has not come: messages are missing");
  return nullptr;
}

bool kafka_inlet::state::all_over() const {
  return !partitions.empty() &&
         std::all_of(partitions.begin(), partitions.end(), [](const auto& one) { return one.over; });
}

void kafka_inlet::state::end_of_stream() {
  if (items && *items != number)
    fail(to.where.text() + ": the stream has " + std::to_string(*items) + " items, and " +
         std::to_string(number) + " have come: messages are missing");
  if (how.end != kafka_end::never) {
    over = true;
    return;
  }
  for (auto& one : partitions) one.over = false;
  stream = number = 0;
  items.reset();
}

std::string kafka_inlet::state::place_of(const rd_kafka_message_t& one) const {
  return to.where.text() + ", partition " + std::to_string(one.partition) + ", offset " +
         std::to_string(one.offset);
}

void kafka_inlet::state::fail(const std::string& says) {
  failure = says;
  throw network_error(says);
}

}  // namespace THALWEG_NAMESPACE::net
